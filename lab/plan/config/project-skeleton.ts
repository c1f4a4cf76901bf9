import { OF_PACKAGE, scenarioSkeleton } from './skeletons.ts';
import type { ConfigFile } from './parse-config.ts';

/** The name of the first scenario of a project. */
export const FIRST_SCENARIO = 'first-death';

/** What git is to leave out of a project: what a lab keeps, and packages. */
export const IGNORED = ['.lab/', 'node_modules/'];

/** What `whodunit init` writes: a project that passes every check, with one scenario that runs. */
export function projectSkeleton(): ConfigFile[] {
  return [
    { path: 'whodunit.yaml', text: PROJECT },
    ...scenarioSkeleton(FIRST_SCENARIO, { schemas: OF_PACKAGE }),
    // Git keeps no empty folder.
    { path: 'bugs/.gitkeep', text: '' },
    { path: '.gitignore', text: `${IGNORED.join('\n')}\n` },
    { path: '.github/workflows/whodunit.yml', text: WORKFLOW },
  ];
}

const PROJECT = `# yaml-language-server: $schema=${OF_PACKAGE}/whodunit.schema.json
# This folder is a project of whodunit. Its scenarios and bugs are beside those that whodunit brings. A matrix.yaml and a
# components.yaml here add axis values, sets, knobs, rules and programs.
formatVersion: 1
# replaces: { scenarios: [oom-single-container] } # names that yours stand for; any other name that both have is an error
`;

const WORKFLOW = `# GitHub reads this file only in the root of a repository. In a folder below it, move it there and name the folder in
# WHODUNIT_PROJECT. package.json and its lock file name the tarball of whodunit: commit it with them, or name that of a release.
name: whodunit
on: [pull_request]
permissions:
  contents: read
jobs:
  deaths:
    runs-on: ubuntu-latest
    # Debian 12 or 13.
    container:
      image: debian:12
      # The privileges that machines and images need (docs/ci.md of whodunit). Where the runner has no /dev/kvm, leave it out.
      options: >-
        --device /dev/kvm --cap-add SYS_ADMIN --security-opt apparmor=unconfined
        --cgroupns host --volume /sys/fs/cgroup:/sys/fs/cgroup
    timeout-minutes: 120
    env:
      WHODUNIT_PROJECT: .
    steps:
      - run: apt-get update && apt-get install -y --no-install-recommends ca-certificates git procps xz-utils
      - uses: actions/checkout@v4
        with:
          persist-credentials: false
      - uses: actions/setup-node@v4
        with:
          node-version: 20
      - run: npm ci --ignore-scripts
      - run: npx whodunit list ${FIRST_SCENARIO}
      - run: npx whodunit doctor --fix
      - run: npx whodunit run ${FIRST_SCENARIO}
      - if: \${{ !cancelled() }}
        uses: actions/upload-artifact@v4
        with:
          name: runs
          path: .lab/runs
          include-hidden-files: true
`;
