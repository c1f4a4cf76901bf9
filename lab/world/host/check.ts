import type { HostFacts } from '../../drivers/host/host-facts.ts';
import type { Host } from '../../model/host/host.ts';

/** What is about to be needed, in MiB: memory of all guests, and disk for images and overlays. */
export interface HostNeeds {
  readonly memoryMiB: number;
  readonly diskMiB: number;
}

/** What a check may look at. */
export interface CheckContext {
  readonly host: Host;
  readonly facts: HostFacts;
  readonly needs: HostNeeds;
  /** Findings of the checks before this one, by name. */
  readonly earlier: ReadonlyMap<string, CheckFinding>;
}

/** A repair that is safe to make without asking. */
export interface AutoFix {
  /** For the progress display: "install the packages …". */
  readonly title: string;
  readonly apply: () => Promise<void>;
}

/** What a look found. */
export interface CheckFinding {
  readonly ok: boolean;
  readonly found: string;
  /** Why it matters; only when not ok. */
  readonly why?: string;
  /** What a person does about it: a command where there is one. */
  readonly fix?: string;
  /** Also of a finding that is ok: what every verb that needs it does by itself. */
  readonly autoFix?: AutoFix;
  /** The check that must hold before this one can be judged. */
  readonly after?: string;
}

/** One check of the host, as data. Looking changes nothing. */
export interface Check {
  readonly name: string;
  /** Shown by the doctor, but no reason not to start. */
  readonly advisory?: true;
  look(context: CheckContext): Promise<CheckFinding> | CheckFinding;
}
