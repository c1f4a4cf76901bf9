import { describe, expect, it } from 'vitest';
import { findByWords, findNearWords, type SearchField } from '../../../../lab/model/text/search.ts';

const ITEMS = [
  { name: 'room', title: 'A room for memory' },
  { name: 'oom-child', title: 'A child is killed' },
  { name: 'cron-job-oom', title: 'The job of a CronJob runs out of memory' },
  { name: 'plain-exit', title: 'It ends by itself' },
];

const fieldsOf = ({ name, title }: (typeof ITEMS)[number]): SearchField[] => [
  { text: name, weight: 4 },
  { text: title, weight: 1 },
];

describe('a search', () => {
  it.each([
    [['oom'], ['oom-child', 'cron-job-oom', 'room']],
    [
      ['OOM', 'memory'],
      ['cron-job-oom', 'room'],
    ],
    [['memory oom'], ['cron-job-oom', 'room']],
    [['room'], ['room']],
    [['cron'], ['cron-job-oom']],
    [['job', 'child'], []],
    [['$('], []],
    [[''], ITEMS.map(({ name }) => name)],
  ])('for %j finds %j, the best first', (words, found) => {
    expect(findByWords(ITEMS, words, fieldsOf).map(({ name }) => name)).toEqual(found);
  });

  it('that finds nothing knows what has most of the words', () => {
    const near = findNearWords(ITEMS, ['memory', 'cron', 'zebra'], fieldsOf);
    expect(near.map(({ name }) => name)).toEqual(['cron-job-oom', 'room']);
  });
});
