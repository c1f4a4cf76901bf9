import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AXES } from '../../../lab/model/axes/axes.ts';
import { PROJECT } from '../project-files.ts';

const AXIS = `(?:${AXES.join('|')})`;

/** Where a text is taken apart that is, or looks like, a value of an axis. */
const TAKEN_APART = [
  // variant.runtime.startsWith('runsc'), choice.nodes?.split('+')
  new RegExp(String.raw`\b(?:variant|choice)(?:\.${AXIS}|\[\w+\])!?\??\.(?!ts\b)\w+`),
  // /^runsc@/.exec(variant.runtime), parse(variant.nodes)
  new RegExp(String.raw`\.(?:exec|test)\((?:[\w.]+\.)?variant(?:\.${AXIS}|\[\w+\])`),
  /\.split\((['"/])\\?[+@]/,
  /\.(?:startsWith|endsWith|includes|indexOf)\((['"])(?:runc|runsc|containerd-)/,
  /\/\^?\(?(?:runc|runsc)\b[^/\n]*@/,
  /['"`](?:containerd-['"`$]|\+systemd-cgroup)/,
];

function sourcesBelow(folder: string): string[] {
  return readdirSync(join(PROJECT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (path === 'lab/model/axes') return [];
    if (entry.isDirectory()) return sourcesBelow(path);
    return /\.m?ts$/.test(entry.name) ? [path] : [];
  });
}

function linesThatTakeApart(file: string, text: string): string[] {
  const isComment = /^\s*(?:\*|\/\/|\/\*)/;
  return text.split('\n').flatMap((line, index) => {
    const isFound = !isComment.test(line) && TAKEN_APART.some((pattern) => pattern.test(line));
    return isFound ? [`${file}:${index + 1} ${line.trim()}`] : [];
  });
}

describe('values of axes', () => {
  it('are taken apart in lab/model/axes/ alone', () => {
    const files = ['lab', 'provision', 'stacks', 'bin'].flatMap(sourcesBelow);
    expect(files.length).toBeGreaterThan(200);
    const found = files.flatMap((file) =>
      linesThatTakeApart(file, readFileSync(join(PROJECT, file), 'utf8')),
    );
    expect(found).toEqual([]);
  });

  it.each([
    "if (world.record.variant.runtime?.startsWith('runsc@') === true) {",
    "const [kubelet, runtimeDriver] = variant.drivers.split('+');",
    'const [, suite] = /@([a-z-]+)$/.exec(variant.kernel) ?? [];',
    "const [kernel, name = ''] = value.split('@');",
    "return runtime.startsWith('runc@') ? 1 : 2;",
    'const found = /^(runc|runsc)@(.+)$/.exec(value);',
    "if (part.startsWith('containerd-')) {",
  ])('would be found: %s', (line) => {
    expect(linesThatTakeApart('somewhere.ts', line)).toHaveLength(1);
  });
});
