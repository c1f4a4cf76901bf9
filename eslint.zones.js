/** The import directions, as data: eslint.config.js enforces them, a unit test proves that none is stale. */
import { readdirSync } from 'node:fs';
import { basename, dirname, relative, resolve, sep } from 'node:path';

/** Folders that take data and return data: they import lab/model and themselves only. */
export const PURE_FOLDERS = [
  'lab/model',
  'lab/plan',
  'lab/evidence',
  'lab/judge',
  'lab/experiment',
  'lab/report',
];

/** Rooms that are as pure, and know other pure rooms. */
export const PURE_ABOVE = ['lab/case', 'lab/gate'];

/** Modules that start processes or open sockets. */
export const PROCESS_MODULES = [
  'node:child_process',
  'node:net',
  'node:http',
  'node:https',
  'node:dgram',
  'node:tls',
  'child_process',
  'zx',
  'ssh2',
  '@kubernetes/*',
];

/** Files of `target` must not import files of `from`, but for those below `except`. Paths from the project's root. */
const zone = (target, from, except, message) => ({ target, from, except, message });

/** Every direction that is closed. */
export const DIRECTION_ZONES = [
  zone('lab/model', 'lab', ['lab/model'], 'lab/model imports nothing of ours.'),
  ...PURE_FOLDERS.filter((folder) => folder !== 'lab/model').map((folder) =>
    zone(folder, 'lab', ['lab/model', folder], `${folder} is pure: it imports lab/model only.`),
  ),
  zone(
    'lab/check',
    'lab',
    ['lab/check', 'lab/model/saved'],
    'The checker shares nothing with the judge: it knows the types of a saved proof only.',
  ),
  zone('lab/drivers', 'lab', ['lab/model', 'lab/drivers'], 'Drivers know the model only.'),
  zone('lab/world', 'lab/commands', [], 'World is below commands.'),
  zone(
    'lab/autopsy',
    'lab',
    ['lab/autopsy', 'lab/drivers', 'lab/evidence', 'lab/judge', 'lab/model', 'lab/report'],
    'lab/autopsy is below commands, and needs no machine.',
  ),
  zone('lab/world', 'lab/autopsy', [], 'World does not know lab/autopsy.'),
  zone(
    'lab/case',
    'lab',
    ['lab/case', 'lab/autopsy', 'lab/evidence', 'lab/judge', 'lab/model', 'lab/plan', 'lab/report'],
    'lab/case takes data and returns data, and is below commands.',
  ),
  zone('lab/world', 'lab/case', [], 'World does not know lab/case.'),
  zone(
    'lab/gate',
    'lab',
    ['lab/gate', 'lab/model'],
    'lab/gate takes data and returns data: it imports lab/model only.',
  ),
  zone('lab/world', 'lab/gate', [], 'World does not know lab/gate.'),
  zone('lab/autopsy/browser', 'lab/drivers', [], 'The page for browsers has no outside world.'),
  ...['provision', 'stacks'].map((folder) =>
    zone(
      folder,
      'lab',
      ['lab/model'],
      `${folder}/ imports lab/model only and receives drivers as parameters.`,
    ),
  ),
  ...PURE_FOLDERS.flatMap((folder) =>
    ['provision', 'stacks'].map((from) => zone(folder, from, [], `${folder} is pure.`)),
  ),
  zone('provision', 'stacks', [], 'provision/ does not know stacks/.'),
  zone('stacks', 'provision', [], 'stacks/ does not know provision/.'),
];

/**
 * The rooms of each area, floor by floor from the ground up. A file imports from its own room and from lower floors
 * only; files beside the rooms are the ground of their area.
 */
export const FLOORS = {
  'lab/model': [
    ['errors', 'limits', 'text'],
    ['files', 'killers', 'measures', 'rates', 'variants', 'work'],
    ['components'],
    ['axes'],
    ['declared'],
    ['saved'],
    ['evidence'],
    ['host'],
  ],
  'lab/drivers': [
    ['files', 'processes', 'progress'],
    ['bundles', 'kubernetes', 'machines', 'network', 'project', 'ssh'],
    ['host'],
    ['programs'],
    ['claims', 'remote'],
  ],
  'lab/plan': [
    ['parameters', 'variants'],
    ['bugs', 'worlds'],
    ['check'],
    ['config'],
    ['select'],
    ['cells'],
    ['shards'],
  ],
  'lab/evidence': [['formats'], ['bundle']],
  'lab/judge': [['records'], ['case'], ['killer', 'measures'], ['verdict'], ['autopsy', 'compare']],
  'lab/autopsy': [['browser', 'live']],
  'lab/case': [['facts', 'search'], ['variant'], ['candidates'], ['outcome'], ['answer']],
  'lab/gate': [['compare', 'reach'], ['choose']],
  'lab/experiment': [['bisect', 'investigate', 'prove'], ['difference']],
  'lab/report': [['text'], ['words'], ['formats'], ['terminal'], ['manifests', 'markdown', 'page']],
  'lab/world': [
    ['host', 'recipe', 'restore'],
    ['cache', 'oracle', 'steps'],
    ['settle'],
    ['cell', 'derive'],
    ['bring-up'],
    ['run'],
  ],
  'lab/commands': [
    ['context'],
    ['setup'],
    ['saved'],
    ['output'],
    ['running'],
    ['gating', 'sharding'],
    ['proving', 'searching'],
    ['verbs'],
    ['line'],
  ],
};

/** The area of a file, its room in it (empty for a file beside the rooms), and the floor: 0 is the ground. */
export function placeOf(file) {
  const area = Object.keys(FLOORS).find((folder) => isBelow(file, folder));
  if (area === undefined) return undefined;
  const [room, ...inside] = file.slice(area.length + 1).split(sep);
  if (inside.length === 0) return { area, room: '', floor: 0 };
  return { area, room, floor: FLOORS[area].findIndex((rooms) => rooms.includes(room)) + 1 };
}

/** What is wrong with an import between two rooms; undefined when nothing is. */
function findArrowUp(file, path) {
  const from = placeOf(file);
  const to = placeOf(path);
  if (from === undefined || to === undefined || from.area !== to.area || from.room === to.room)
    return undefined;
  if (to.floor < from.floor) return undefined;
  return `${from.area}/${from.room} is not above ${to.area}/${to.room}: see FLOORS in eslint.zones.js`;
}

/**
 * The rule that enforces zones and floors. Our own, because the plugins that offer it bring native resolvers for every
 * platform, which npm ci cannot always get; our imports are relative paths with an extension, so resolve() is enough.
 */
export const importDirection = {
  meta: { type: 'problem', schema: [], messages: { closed: '{{message}} ({{path}})' } },
  create(context) {
    const file = relative(context.cwd, context.filename);
    const check = (source) => {
      if (typeof source?.value !== 'string' || !source.value.startsWith('.')) return;
      const path = relative(context.cwd, resolve(dirname(context.filename), source.value));
      const broken = DIRECTION_ZONES.find(
        ({ target, from, except }) =>
          isBelow(file, target) && isBelow(path, from) && !except.some((folder) => isBelow(path, folder)),
      );
      const message = broken?.message ?? findArrowUp(file, path);
      if (message === undefined) return;
      context.report({ node: source, messageId: 'closed', data: { message, path } });
    };
    return {
      ImportDeclaration: (node) => check(node.source),
      ImportExpression: (node) => check(node.source),
      ExportNamedDeclaration: (node) => check(node.source),
      ExportAllDeclaration: (node) => check(node.source),
      TSImportType: (node) => check(node.source ?? node.argument?.literal),
    };
  },
};

/** Code files that a folder may have: a reader takes in no more at a glance. */
export const MAX_FILES = 40;

/** The rule that keeps rooms small. It speaks once a folder, at the first file. */
export const roomSize = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { full: '{{folder}} has {{count}} code files, more than {{most}}: give it rooms' },
  },
  create(context) {
    const folder = dirname(context.filename);
    const files = readdirSync(folder).filter((name) => /\.m?[jt]s$/.test(name));
    if (files.length <= MAX_FILES || files.sort()[0] !== basename(context.filename)) return {};
    const data = { folder: relative(context.cwd, folder), count: files.length, most: MAX_FILES };
    return { Program: (node) => context.report({ node, messageId: 'full', data }) };
  },
};

function isBelow(path, folder) {
  return path.startsWith(folder.replaceAll('/', sep) + sep);
}
