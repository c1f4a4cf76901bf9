import type { EvidenceRef } from '../model/saved/formats.ts';

/**
 * mm/oom_kill.c, dump_header(): the first line of a report that ends with SUMMARY. One lock holds both together, and
 * one rate limit drops both. The line has the order of the allocation that failed, or -1 when none did
 * (is_sysrq_oom()).
 */
const INVOKED =
  /^(.*) invoked oom-killer: gfp_mask=.*, order=(-?\d+), (?:oom_adj=-?\d+, )?oom_score_adj=-?\d+$/;
const ORDER_BY_HAND = -1;
/** drivers/tty/sysrq.c, sysrq_moom_op; Linux 4.19 and older say `SysRq : ` as well, 3.x only that. */
const ASKED_BY_HAND = /^(?:sysrq: (?:SysRq : )?|(SysRq : ))Manual OOM execution$/;
/** Who called the OOM killer. */
export interface Invocation {
  /** Reads a line; returns whether it begins a report. */
  see(ref: EvidenceRef): boolean;
  /** The lines which say that somebody asked by hand for the current report; undefined when nobody did. */
  take(): EvidenceRef[] | undefined;
}

/** Builds a reader that remembers who called the OOM killer, until the report has named its victim. */
export function createInvocation(): Invocation {
  let asked: { ref: EvidenceRef; isOld: boolean } | undefined;
  let byHand: EvidenceRef[] | undefined;
  return {
    see: (ref) => {
      const byKey = ASKED_BY_HAND.exec(ref.text);
      if (byKey !== null) asked = { ref, isOld: byKey[1] !== undefined };
      const [, caller, order] = INVOKED.exec(ref.text) ?? [];
      if (order === undefined) return false;
      // Linux 3.x passes the order 0. A worker calls on behalf of whoever asked, as its next work.
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
