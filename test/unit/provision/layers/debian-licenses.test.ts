import { describe, expect, it } from 'vitest';
import { addLicenses, parseCopyright } from '../../../../provision/layers/debian-licenses.ts';

/** The heads of copyright files of Debian 12: mawk, perl-base and bash. */
const MAWK = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Comment: This is the Debian GNU prepackaged version of mawk,
 an implementation of the AWK Programming Language.

Files: *
Copyright: 1996, Michael D. Brennan.
           2009-2020, Thomas E. Dickey.
License: GPL-2

Files: debian/*
Copyright: (C) 1995-96 Chris Fearnley.
License: GPL-2

Files: install-sh
Copyright: (C) 1994 X Consortium
License: X11
 Permission is hereby granted, free of charge, to any person obtaining a copy
 .
 License: no field, but text of one

License: GPL-9
 a text that no file has
`;
const PERL = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Files-Excluded-regen-configure: bin/*

Files: *
License: GPL-1+  or Artistic
`;
const BASH = `This is Debian GNU/Linux's prepackaged version of the FSF's GNU Bash,

    On Debian systems, the full text is in
    \`/usr/share/common-licenses/GPL-3'.  The manual is under
    /usr/share/common-licenses/GFDL-1.3.
`;

describe('licenses of Debian packages', () => {
  it('are those of the files, in the words of Debian', () => {
    expect(parseCopyright(MAWK)).toEqual({ names: ['GPL-2', 'X11'], areAll: true });
    expect(parseCopyright(PERL)).toEqual({ names: ['GPL-1+ or Artistic'], areAll: true });
  });

  it('are some of them where a free text refers to them', () => {
    expect(parseCopyright(BASH)).toEqual({ names: ['GFDL-1.3', 'GPL-3'], areAll: false });
    expect(parseCopyright('You may do what you like.')).toBeUndefined();
  });

  it('come from another package of the source where the folder of one is a link', () => {
    const common = { version: '1', architecture: 'amd64', sourceVersion: '1' };
    const packages = [
      { ...common, name: 'perl-modules', source: 'perl' },
      { ...common, name: 'perl-base', source: 'perl' },
      { ...common, name: 'bash', source: 'bash' },
    ];
    const files = new Map([['./usr/share/doc/perl-base/copyright', PERL]]);
    expect(addLicenses(packages, files).map(({ licenses }) => licenses?.names)).toEqual([
      ['GPL-1+ or Artistic'],
      ['GPL-1+ or Artistic'],
      undefined,
    ]);
  });
});
