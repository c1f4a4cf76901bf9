/** The import directions, as data: eslint.config.js enforces them, a unit test proves that none is stale. */
import { dirname, relative, resolve, sep } from 'node:path';

/** Folders that take data and return data: they import lab/model and themselves only. */
export const PURE_FOLDERS = ['lab/model', 'lab/plan', 'lab/evidence', 'lab/judge', 'lab/report'];

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
  zone('lab/drivers', 'lab', ['lab/model', 'lab/drivers'], 'Drivers know the model only.'),
  zone('lab/world', 'lab/commands', [], 'World is below commands.'),
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
 * The rule that enforces the zones. Our own, because the plugins that offer it bring native resolvers for every
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
      if (broken === undefined) return;
      context.report({ node: source, messageId: 'closed', data: { message: broken.message, path } });
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

function isBelow(path, folder) {
  return path.startsWith(folder.replaceAll('/', sep) + sep);
}
