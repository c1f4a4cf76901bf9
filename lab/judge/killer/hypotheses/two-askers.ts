import type { CaseFile } from '../../case/case-file.ts';
import { leaveOpen } from '../other-causes.ts';
import type { Hypothesis } from '../hypothesis.ts';
import { isOfGoingDown } from './reboot.ts';
import { STRANGE_SIGNAL } from '../traces.ts';
import type { Conclusion } from '../conclusion.ts';

const MAY_BE_FIRST =
  'somebody else had asked it to stop before: it ended because of that, or because it was asked once more';
const MAY_BE_FAULT =
  'nobody tells its exit code: it ended of the fault, or lived on and ended because it was asked to';

/** Two askers who do not know of each other had asked the program to stop: it may have ended for either. */
const hearTwoAskers = (file: CaseFile): Conclusion | undefined => {
  const { rival, fault } = file.killingSignal ?? {};
  if (fault !== undefined && fault !== file.killingSignal?.sent)
    return leaveOpen(file, fault.ref, MAY_BE_FAULT);
  return rival && leaveOpen(file, rival.ref, MAY_BE_FIRST);
};

/** It answered somebody else than the last one who asked, or had a fault before. */
export const TWO_ASKERS: Hypothesis = {
  what: 'an answer to an earlier signal',
  killers: [],
  acts: ['runtime', 'outside', 'systemd', 'systemd-oomd', 'earlyoom', 'container'],
  left: {
    ...STRANGE_SIGNAL,
    by: 'every signal of the node was traced, and none came earlier',
    isSeen: () => false,
  },
  against: (file) => (isOfGoingDown(file) ? 'systemd signalled it because its node went down' : undefined),
  recordsAgainst: ({ killingSignal, bootEnded }) => [killingSignal?.sent.ref, bootEnded?.ref],
  hear: hearTwoAskers,
};
