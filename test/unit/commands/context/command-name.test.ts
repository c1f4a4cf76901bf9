import { describe, expect, it } from 'vitest';
import { findCommandName, spellCommands } from '../../../../lab/commands/context/command-name.ts';

describe('the name of the program', () => {
  it.each([
    ['npm run lab --', { npm_lifecycle_event: 'lab' }, '/p/bin/whodunit.mjs'],
    ['npx whodunit', { npm_lifecycle_event: 'npx' }, '/p/node_modules/.bin/whodunit'],
    ['whodunit', {}, '/usr/local/bin/whodunit'],
    ['npx whodunit', {}, '/p/bin/whodunit.mjs'],
    ['npx whodunit', {}, undefined],
  ])('is what was typed: %s', (name, env, program) => {
    expect(findCommandName(env, program)).toBe(name);
  });
});

describe('a command in a text', () => {
  it('bears the name that was typed, each time, and other words stay', () => {
    const text = 'npx whodunit gc, then npx whodunit up; npx whodunit-x and docs/npx whodunit.md are others';
    expect(spellCommands(text, 'whodunit')).toBe(
      'whodunit gc, then whodunit up; npx whodunit-x and docs/npx whodunit.md are others',
    );
    expect(spellCommands('try: npx whodunit', 'npm run lab --')).toBe('try: npm run lab --');
    expect(spellCommands(text, 'npx whodunit')).toBe(text);
  });

  it('names the project that was typed, as one word of a shell, before the verb', () => {
    expect(spellCommands('npx whodunit up a; npx whodunit gc', 'npx whodunit', '/my lab')).toBe(
      "npx whodunit --project '/my lab' up a; npx whodunit --project '/my lab' gc",
    );
    expect(spellCommands('npx whodunit runs', 'whodunit', 'x')).toBe('whodunit --project x runs');
  });

  it('names no project where the verb takes none, or where there is no verb', () => {
    const text = 'npx whodunit init d, npx whodunit help run, npx whodunit completion, npx whodunit version';
    expect(spellCommands(text, 'npx whodunit', 'x')).toBe(text);
    expect(spellCommands('npx whodunit --json', 'whodunit', 'x')).toBe('whodunit --json');
  });

  it('takes a project with signs of a replacement as it is', () => {
    expect(spellCommands('npx whodunit up', 'whodunit', '$&/x')).toBe("whodunit --project '$&/x' up");
  });
});
