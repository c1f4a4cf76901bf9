import { AXIS_DEFINITIONS, type Axis, type Variant } from '../../model/axes/axes.ts';
import { splitBrackets } from '../../model/host/cell-address.ts';
import type { Matrix, Note } from '../../model/declared/matrix.ts';
import { writePart } from '../../model/variants/variant-name.ts';
import { findValue, isAxis, splitAssignment } from './parse-variant.ts';

/** What was dropped of a version that somebody has pasted. */
export interface DroppedPart {
  readonly axis: Axis;
  /** `1.30.4-gke.100` */
  readonly written: string;
  /** `1.30.4` */
  readonly value: string;
  /** `-gke.100` */
  readonly part: string;
}

/** What is dropped of the versions in words: `axis=value`, names of variants and addresses. */
export function listDroppedOfWords(matrix: Matrix, words: readonly string[]): DroppedPart[] {
  return words.flatMap((word) => {
    const assignment = splitAssignment(word);
    if (assignment !== undefined && isAxis(assignment.key)) {
      const { key, value } = assignment;
      return value.split(',').flatMap((text) => dropOf(matrix, key, text));
    }
    const [name = ''] = splitBrackets(word).head.split('/');
    return name.split('_').flatMap((part) =>
      AXIS_DEFINITIONS.flatMap((axis) => {
        const prefix = writePart(axis, '');
        return part.startsWith(prefix) ? dropOf(matrix, axis.name, part.slice(prefix.length)) : [];
      }).slice(0, 1),
    );
  });
}

function dropOf(matrix: Matrix, axis: Axis, written: string): DroppedPart[] {
  const found = findValue(matrix, axis, written);
  return found?.dropped === undefined ? [] : [{ axis, written, value: found.value, part: found.dropped }];
}

/** Says what was dropped of the versions that a variant has. */
export function listNotesOfDropped(dropped: readonly DroppedPart[], variant: Variant): Note[] {
  return dropped
    .filter(({ axis, value }) => variant[axis] === value)
    .map(({ axis, written, value, part }) => ({
      id: `${axis}-${written}-is-read-as-${value}`,
      when: { [axis]: [value] },
      reason: `${axis} ${written} is read as ${value}: what somebody has added to that release, "${part}", cannot be had, so what it changes is not seen`,
      source: 'docs/matrix.md',
      proof: 'proven',
    }));
}
