import type { Axis } from '../../model/axes/axes.ts';
import type { Bug, BugVariant } from '../../model/declared/bug.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import type { DroppedPart } from '../variants/dropped-parts.ts';
import { findValue, isAxis } from '../variants/parse-variant.ts';

/** A bug whose variants have versions as addresses write them, and what was dropped of those that its file has. */
interface PastedBug {
  readonly bug: Bug;
  readonly dropped: readonly DroppedPart[];
}

/** Reads the versions of the variants of a bug, however its file has pasted them. */
export function readPastedBug(matrix: Matrix, bug: Bug): PastedBug {
  const dropped: DroppedPart[] = [];
  const read = (side: BugVariant): BugVariant =>
    Object.fromEntries(Object.entries(side).map(([name, text]) => [name, readOne(name, text)]));
  const readOne = (name: string, text: string): string => {
    const found = isAxis(name) ? findValue(matrix, name, text) : undefined;
    if (found?.dropped !== undefined)
      dropped.push({ axis: name as Axis, written: text, value: found.value, part: found.dropped });
    return found?.value ?? text;
  };
  const canonical = {
    ...bug,
    affected: read(bug.affected),
    fixed: read(bug.fixed),
    controls: bug.controls.map((control) => ({ ...control, variant: read(control.variant) })),
  };
  return { bug: canonical, dropped };
}
