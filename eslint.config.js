import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import { importDirection, PROCESS_MODULES, PURE_ABOVE, PURE_FOLDERS, roomSize } from './eslint.zones.js';

const OUTSIDE_WORLD = [
  { object: 'Date', property: 'now', message: 'Take the Clock of the Host: verdicts must be replayable.' },
  {
    object: 'process',
    property: 'env',
    message: 'Take it from the Context: lab/commands/context/context.ts reads the environment.',
  },
];
const BROWSER_NAMES = [
  'document',
  'window',
  'location',
  'history',
  'navigator',
  'getSelection',
  'Option',
  'atob',
  'Blob',
  'Response',
  'DecompressionStream',
  'ResizeObserver',
];
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate'].map((name) => ({
  name,
  message: 'Wait for a condition with Host.waitFor.',
}));
const noProcesses = {
  group: PROCESS_MODULES,
  message: 'Only lab/drivers starts a process or opens a socket: take a driver as a parameter.',
};
const noCdktf = { group: ['cdktf', 'constructs'], message: 'Only stacks/ imports cdktf.' };

export default tseslint.config(
  { ignores: ['node_modules', '.lab', 'cdktf.out', 'dist'] },
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    plugins: { whodunit: { rules: { 'import-direction': importDirection, 'room-size': roomSize } } },
    rules: {
      eqeqeq: 'error',
      'no-empty': ['error', { allowEmptyCatch: false }],
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': ['error', { max: 60, skipComments: true, skipBlankLines: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/require-await': 'off',
      'whodunit/import-direction': 'error',
      'whodunit/room-size': 'error',
    },
  },
  {
    files: ['lab/**', 'provision/**', 'stacks/**'],
    ignores: ['lab/drivers/**'],
    rules: {
      'no-restricted-properties': ['error', ...OUTSIDE_WORLD],
      'no-restricted-globals': ['error', ...TIMERS],
      'no-restricted-imports': ['error', { patterns: [noProcesses, noCdktf] }],
    },
  },
  {
    files: ['stacks/**'],
    rules: { 'no-restricted-imports': ['error', { patterns: [noProcesses] }] },
  },
  {
    files: ['lab/world/**', 'lab/commands/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            noProcesses,
            noCdktf,
            { group: ['node:fs', 'node:fs/*', 'fs'], message: 'Read and write files through lab/drivers.' },
          ],
        },
      ],
    },
  },
  {
    files: [...PURE_FOLDERS, ...PURE_ABOVE].map((folder) => `${folder}/**`),
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: [
                'node:*',
                '!node:path',
                '!node:crypto',
                '!node:zlib',
                'fs',
                'p-*',
                ...PROCESS_MODULES.filter((name) => !name.startsWith('node:')),
              ],
              message: 'This folder is pure: it takes data and returns data.',
            },
            noCdktf,
          ],
        },
      ],
    },
  },
  {
    // Evidence may have millions of records, and arguments of a call are on the stack.
    files: ['lab/evidence/**', 'lab/judge/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'CallExpression[callee.object.name="Math"] > SpreadElement',
          message: 'Take largest or smallest of lab/model/text/extremes.ts: a spread overflows the stack.',
        },
        {
          selector: 'CallExpression[callee.property.name="push"] > SpreadElement',
          message: 'Push one by one: a spread overflows the stack.',
        },
      ],
    },
  },
  // The command line gathers environment and signals; stacks/main.ts is a program of its own.
  {
    files: ['lab/commands/context/context.ts', 'lab/cli.ts', 'stacks/main.ts'],
    rules: { 'no-restricted-properties': 'off', 'no-restricted-globals': 'off' },
  },
  {
    files: ['test/**'],
    rules: { 'max-lines-per-function': 'off', '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  {
    // Deaths as lists of records: data, one for each rule.
    files: ['test/fixtures/evidence/hand-written.ts'],
    rules: { 'max-lines': 'off' },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { globals: { console: 'readonly', process: 'readonly', URL: 'readonly' } },
  },
  {
    // Runs in the browser that opens a report.
    files: ['lab/report/page/browser/*.js', 'bin/docs/results-page/*.js'],
    languageOptions: {
      sourceType: 'script',
      globals: Object.fromEntries(BROWSER_NAMES.map((name) => [name, 'readonly'])),
    },
  },
);
