import { stringify } from 'yaml';
import type { Manifest } from '../../model/declared/scenario.ts';
import { SIGKILL, statusOfSignal } from '../../model/evidence/signals.ts';
import type { Variant } from '../../model/axes/axes.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import type { CaseFact, MadeScenario } from '../../model/saved/case.ts';
import { compareAsWritten } from '../../model/variants/versions.ts';
import { isKnownValue } from '../../plan/variants/parse-variant.ts';
import { plainText } from '../../model/text/plain-text.ts';
import { containersOf, podSpecOf, type ReportObject } from '../facts/read-manifests.ts';
import { wordsOfVariant } from '../variant/nearest-variant.ts';
import { describeLeftOut, makePodSpec, nameOf, usesHostPath, type ReportedEnd } from './make-pod.ts';

/** What a scenario and a bug are made of. */
export interface MadeOf {
  readonly id: string;
  readonly title: string;
  /** Undefined when the report names none: then no bug is made, which needs one. */
  readonly link: string | undefined;
  readonly facts: readonly CaseFact[];
  readonly objects: readonly ReportObject[];
  readonly variant: Variant;
  readonly matrix: Matrix;
}

/** Makes a scenario of the manifests of a report, and a bug if it has a link; undefined when none of them makes a pod. */
export function makeScenario(report: MadeOf): Omit<MadeScenario, 'problems'> | undefined {
  const found = report.objects.find(({ object }) => podSpecOf(object) !== undefined);
  const spec = found === undefined ? undefined : podSpecOf(found.object);
  if (found === undefined || spec === undefined) return undefined;
  const changes: string[] = [];
  const end = endOf(report.facts);
  const pod = makePodSpec(spec, end, changes);
  if (usesHostPath(spec)) changes.push('its hostPath volumes are of another host: they are left out');
  if (found.object.kind !== 'Pod') changes.push(`the ${String(found.object.kind)} becomes one pod`);
  changes.push(
    ...describeLeftOut(
      report.objects.map(({ object }) => object),
      found.object,
    ),
  );
  const { id } = report;
  const [victim = {}] = containersOf(pod, 'containers');
  const ceiling = takeCeiling(victim);
  const manifest: Manifest = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: id, labels: { app: id } },
    spec: pod,
  };
  const death = deathOf(end, pod);
  const sides = sidesOf(report, ceiling);
  if (!end.isOom && end.exitCode === undefined)
    changes.push(
      'how it ends is not said as an end of a container: what `variants` expects has to be written by hand',
    );
  const { link } = report;
  if (link === undefined)
    changes.push(
      'the report names no link, which a bug needs: only a scenario is made (whodunit new bug <link>)',
    );
  return {
    name: id,
    changes,
    files: [
      ...(link === undefined ? [] : [{ path: `bugs/${id}.yaml`, text: bugText(report, link, sides) }]),
      {
        path: `scenarios/${id}/scenario.yaml`,
        text: scenarioText(report, nameOf(victim), death, sides, changes),
      },
      {
        path: `scenarios/${id}/manifests/pod.yaml`,
        text: stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false }),
      },
    ],
  };
}

function endOf(facts: readonly CaseFact[]): ReportedEnd {
  const codes = facts
    .filter(({ name, role }) => name === 'exit code' && role === 'affected')
    .map(({ value }) => Number(value));
  const isOom = facts.some(({ name, value }) => name === 'reason' && /OOM/.test(value));
  const own = codes.find((code) => code > 0 && code < 128);
  return { isOom, exitCode: isOom ? undefined : own };
}

/** What must happen where the bug is: as the report says, and as the stand-in does. */
function deathOf({ isOom, exitCode }: ReportedEnd, pod: Record<string, unknown>): Record<string, unknown> {
  const isKept = pod.restartPolicy !== 'Never';
  if (isOom)
    return {
      killer: 'memcg-oom',
      reason: ['OOMKilled', 'Error'],
      exitCode: [statusOfSignal(SIGKILL)],
      withinSeconds: 90,
      ...(isKept ? { then: 'restarts' } : {}),
    };
  if (exitCode !== undefined)
    return { killer: 'self-exit', reason: ['Error'], exitCode: [exitCode], withinSeconds: 60 };
  return { killer: 'external-signal', exitCode: [statusOfSignal(SIGKILL)], withinSeconds: 60 };
}

/** What a memory-eater eats at most becomes a parameter; undefined for another program. */
function takeCeiling(victim: Record<string, unknown>): string | undefined {
  const { command } = victim;
  if (!Array.isArray(command)) return undefined;
  const at = command.indexOf('--ceiling') + 1;
  if (at === 0) return undefined;
  const ceiling = String(command[at]);
  command[at] = '${ceiling}';
  return ceiling;
}

/** Less than any limit that lets a container start. */
const LITTLE = '4Mi';

/** The two sides of a bug: two versions, or one pod that eats too much and one that does not. */
type Sides =
  | {
      readonly kind: 'limit';
      readonly affected: string[];
      readonly fixed: string[];
      readonly ceiling: string;
    }
  | {
      readonly kind: 'version';
      readonly affected: string[];
      readonly fixed: string[];
      readonly release: string;
      readonly why: string;
    };

function sidesOf({ variant, facts, matrix }: MadeOf, ceiling: string | undefined): Sides {
  const words = wordsOfVariant(variant);
  if (ceiling !== undefined)
    return {
      kind: 'limit',
      affected: [...words, `ceiling=${ceiling}`],
      fixed: [...words, `ceiling=${LITTLE}`],
      ceiling,
    };
  const works = facts.find(
    ({ name, role, value }) =>
      name === 'kubernetes' &&
      role === 'works' &&
      isKnownValue(matrix, 'kubernetes', value) &&
      value !== variant.kubernetes,
  );
  const releases = matrix.axes.kubernetes.values.toSorted((one, other) => compareAsWritten(other, one));
  const newest = releases.find((release) => release !== variant.kubernetes) ?? '';
  const fixed = works?.value ?? newest;
  const others = words.filter((word) => !word.startsWith('kubernetes='));
  return {
    kind: 'version',
    affected: [...others, `kubernetes=${variant.kubernetes}`],
    fixed: [...others, `kubernetes=${fixed}`],
    release: variant.kubernetes,
    why:
      works === undefined
        ? 'a guess: the report names no version without it'
        : `the report says so: ${works.words}`,
  };
}

function yamlMap(words: readonly string[]): string {
  const pairs = words.map((word) => {
    const at = word.indexOf('=');
    return `${word.slice(0, at)}: ${JSON.stringify(word.slice(at + 1))}`;
  });
  return `{ ${pairs.join(', ')} }`;
}

function quoted(text: string): string {
  return JSON.stringify(
    plainText(text).replaceAll('${', '$ {').replaceAll(/\s+/g, ' ').trim().slice(0, 280) || 'A report.',
  );
}

function bugText({ id, title }: MadeOf, link: string, sides: Sides): string {
  return `# yaml-language-server: $schema=../docs/schemas/bug.schema.json
# Made by \`whodunit case\` of a report, and not yet run: docs/writing-a-bug.md explains every field.
formatVersion: 1
id: ${id}
title: ${quoted(title)}
links:
  - ${JSON.stringify(link)}
status: reproduces
scenario: ${id}

affected: ${yamlMap(sides.affected)}
fixed: ${yamlMap(sides.fixed)}${sides.kind === 'version' ? ` # ${plainText(sides.why).replaceAll(/\s+/g, ' ')}` : ' # the same pod within its limit'}

summary: The mechanism is not known yet.
whatToSee:
  - the traces of the report, compared by \`whodunit case --run\`
`;
}

function scenarioText(
  { id, title }: MadeOf,
  victim: string,
  death: Record<string, unknown>,
  sides: Sides,
  changes: readonly string[],
): string {
  const said = changes
    .map((change) => `#   ${plainText(change).replaceAll(/\s+/g, ' ').slice(0, 300)}`)
    .join('\n');
  const lives = { killer: 'none', survivesSeconds: 30 };
  const when = sides.kind === 'limit' ? { ceiling: [sides.ceiling] } : { kubernetes: [sides.release] };
  const body = {
    formatVersion: 1,
    name: id,
    title:
      plainText(title).replaceAll('${', '$ {').replaceAll(/\s+/g, ' ').trim().slice(0, 280) || 'A report.',
    tags: [],
    ...(sides.kind === 'limit'
      ? {
          parameters: {
            ceiling: { about: 'how much it eats', values: [sides.ceiling, LITTLE], default: sides.ceiling },
          },
        }
      : {}),
    victim: { selector: `app=${id}`, container: victim },
    expect: lives,
    variants: [{ when, expect: death }],
    timeoutSeconds: 180,
    makeItFail:
      'Give the program of manifests/pod.yaml another end: the cell fails with what was expected beside what was observed.',
  };
  return `# yaml-language-server: $schema=../../docs/schemas/scenario.schema.json
# Made by \`whodunit case\` of the manifests of a report. What differs from them:
${said}
${stringify(body, { lineWidth: 0 })}`;
}
