/** One of the five fields of a schedule. */
interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** Names of its numbers, the least first. */
  readonly names?: readonly string[];
}

const FIELDS: readonly Field[] = [
  { name: 'minute', least: 0, most: 59 },
  { name: 'hour', least: 0, most: 23 },
  { name: 'day', least: 1, most: 31 },
  {
    name: 'month',
    least: 1,
    most: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { name: 'weekday', least: 0, most: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

const WORDS = /^@(yearly|annually|monthly|weekly|daily|midnight|hourly|every \d+[hms]\S*)$/;

/** Checks the schedule of a CronJob as its controller reads it (github.com/robfig/cron/v3, ParseStandard). */
export function checkSchedule(schedule: string): { expected: string; received: string }[] {
  const refuse = (expected: string): { expected: string; received: string }[] => [
    { expected, received: JSON.stringify(schedule) },
  ];
  if (WORDS.test(schedule)) return [];
  const fields = schedule.trim().split(/\s+/);
  if (fields.length !== FIELDS.length)
    return refuse("five fields such as '*/5 * * * *' (minute, hour, day, month, weekday), or @hourly");
  const wrong = FIELDS.find((field, index) => !isField(fields[index] ?? '', field));
  return wrong === undefined ? [] : refuse(`a ${wrong.name} from ${wrong.least} to ${wrong.most}`);
}

function isField(text: string, field: Field): boolean {
  return text.split(',').every((part) => {
    const [, range = '', step = '1'] = /^([^/]+)(?:\/(\d+))?$/.exec(part) ?? [];
    if (Number(step) === 0) return false;
    if (range === '*' || range === '?') return true;
    const bounds = range.split('-').map((word) => numberOf(word, field));
    const [from = -1, to = from] = bounds;
    return bounds.length <= 2 && from >= field.least && to <= field.most && from <= to;
  });
}

function numberOf(word: string, { least, names = [] }: Field): number {
  const named = names.indexOf(word.toLowerCase());
  if (named >= 0) return named + least;
  return /^\d+$/.test(word) ? Number(word) : -1;
}
