/** What a bill of materials of a guest is made of, before it is written as CycloneDX. */

/** The licenses of a Debian package. */
export interface DebianLicenses {
  /** As Debian names them, sorted: `GPL-2+`, `GPL-1+ or Artistic`. At least one. */
  readonly names: readonly string[];
  /** Whether these are all: a copyright file in free text names only some. */
  readonly areAll: boolean;
}

/** An installed Debian package. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  /** `amd64` or `all`. */
  readonly architecture: string;
  /** The source package that it was built from. */
  readonly source: string;
  readonly sourceVersion: string;
  /** Undefined where its copyright file names none, or is not there. */
  readonly licenses?: DebianLicenses;
}

/** A module that is compiled into a Go program. */
export interface GoModule {
  /** `github.com/beorn7/perks` */
  readonly path: string;
  /** `v1.0.1`; `(devel)` of a folder of this repository. */
  readonly version: string;
  /** `h1:…`, as in go.sum. */
  readonly sum?: string;
  /** SPDX identifiers of its license files; undefined when they are not known. */
  readonly licenses?: readonly string[];
}

/** A program of a component. */
export interface BilledProgram {
  readonly name: string;
  /** SHA-256 of the file, hexadecimal. */
  readonly sha256: string;
  /** Empty where no Go built it, or no Go is there to read them. */
  readonly modules: readonly GoModule[];
}

/** A component of components.yaml that a guest has. */
export interface BilledComponent {
  readonly name: string;
  readonly version: string;
  /** SPDX identifier, as components.yaml says it. */
  readonly license?: string;
  /** `gomod`, `release`, `local`, `deb` or `file`; undefined when it is not in the cache. */
  readonly source?: string;
  /** SHA-256 over names and contents of its files. */
  readonly digest?: string;
  /** What was recorded when it was made: module and its sum, Go release, URLs and their digests. */
  readonly facts: Readonly<Record<string, string>>;
  readonly programs: readonly BilledProgram[];
}

/** Everything that is known of the image of a variant. */
export interface GuestBill {
  /** Canonical name of the variant. */
  readonly variant: string;
  /** Debian suite. */
  readonly suite: string;
  /** Digest over the inputs of the image; undefined when it is not in the cache. */
  readonly image?: string;
  /** Names of the container images in it. */
  readonly containerImages: readonly string[];
  readonly packages: readonly DebianPackage[];
  readonly components: readonly BilledComponent[];
  /** What is not known, one sentence each. */
  readonly gaps: readonly string[];
}
