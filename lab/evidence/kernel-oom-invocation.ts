import type { EvidenceRef } from '../model/formats.ts';

/**
 * mm/oom_kill.c, dump_header(): the first line of a report that ends with SUMMARY; one lock holds both together, and one
 * rate limit leaves out both. It names the order of the allocation that failed, and -1 when none did (is_sysrq_oom()).
 */
const INVOKED =
  /^(.*) invoked oom-killer: gfp_mask=.*, order=(-?\d+), (?:oom_adj=-?\d+, )?oom_score_adj=-?\d+$/;
const ORDER_BY_HAND = -1;
/** drivers/tty/sysrq.c, sysrq_moom_op; Linux 4.19 and older say `SysRq : ` as well, 3.x that alone. */
const ASKED_BY_HAND = /^(?:sysrq: (?:SysRq : )?|(SysRq : ))Manual OOM execution$/;
/** Who called the OOM killer. */
export interface Invocation {
  /** Takes note of a line; tells whether it begins a report. */
  see(ref: EvidenceRef): boolean;
  /** The lines that say somebody asked by hand for the report that has begun; undefined when nobody did. */
  take(): EvidenceRef[] | undefined;
}

/** Builds what remembers who called the OOM killer, until the report that this begins has named its victim. */
export function createInvocation(): Invocation {
  let asked: { ref: EvidenceRef; isOld: boolean } | undefined;
  let byHand: EvidenceRef[] | undefined;
  return {
    see: (ref) => {
      const byKey = ASKED_BY_HAND.exec(ref.text);
      if (byKey !== null) asked = { ref, isOld: byKey[1] !== undefined };
      const [, caller, order] = INVOKED.exec(ref.text) ?? [];
      if (order === undefined) return false;
      // Linux 3.x passes the order 0; a worker calls for the one who asked, as its next work.
      const isForOld = asked?.isOld === true && caller?.startsWith('kworker/') === true;
      const isByHand = Number(order) === ORDER_BY_HAND || isForOld;
      byHand = isByHand ? [...(asked === undefined ? [] : [asked.ref]), ref] : undefined;
      if (asked?.isOld === true) asked = undefined;
      return true;
    },
    take: () => {
      const taken = byHand;
      byHand = undefined;
      return taken;
    },
  };
}
