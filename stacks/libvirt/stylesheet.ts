import { create } from 'xmlbuilder2';
import type { XMLBuilder } from 'xmlbuilder2/lib/interfaces.js';

const XSL = 'http://www.w3.org/1999/XSL/Transform';

/** Namespace of QEMU arguments that libvirt passes on. */
const QEMU_NAMESPACE = 'http://libvirt.org/schemas/domain/qemu/1.0';

/** A stylesheet that copies everything except what its templates change. */
export interface Stylesheet {
  /** Removes the nodes that a pattern matches. */
  remove(match: string): void;
  /** Copies the matched element, with further attributes, and what `append` adds after its children. */
  extend(
    match: string,
    attributes: Readonly<Record<string, string>>,
    append?: (at: XMLBuilder) => void,
  ): void;
  /** Returns the stylesheet as text. */
  render(): string;
}

/** Starts a stylesheet with the identity template. */
export function createStylesheet(): Stylesheet {
  const document = create({ version: '1.0' });
  const root = document.ele(XSL, 'xsl:stylesheet', { version: '1.0' });
  root.ele(XSL, 'xsl:output', { 'omit-xml-declaration': 'yes' });
  copyOf(root.ele(XSL, 'xsl:template', { match: 'node()|@*' }));
  return {
    remove: (match) => {
      root.ele(XSL, 'xsl:template', { match });
    },
    extend: (match, attributes, append) => {
      copyOf(root.ele(XSL, 'xsl:template', { match }), attributes, append);
    },
    render: () => document.end(),
  };
}

function copyOf(
  template: XMLBuilder,
  attributes: Readonly<Record<string, string>> = {},
  append?: (at: XMLBuilder) => void,
): void {
  const copy = template.ele(XSL, 'xsl:copy');
  copy.ele(XSL, 'xsl:apply-templates', { select: '@*' });
  for (const [name, value] of Object.entries(attributes)) {
    copy.ele(XSL, 'xsl:attribute', { name }).txt(value);
  }
  copy.ele(XSL, 'xsl:apply-templates', { select: 'node()' });
  append?.(copy);
}

/**
 * Adds a result element. Attribute values of result elements are templates in XSLT (`{…}` is an expression), so
 * braces are doubled.
 */
export function addElement(
  at: XMLBuilder,
  name: string,
  attributes: Readonly<Record<string, string>> = {},
  text?: string,
): XMLBuilder {
  const safe = Object.entries(attributes).map(([key, value]) => [key, value.replaceAll(/[{}]/g, '$&$&')]);
  const element = name.startsWith('qemu:')
    ? at.ele(QEMU_NAMESPACE, name, Object.fromEntries(safe) as Record<string, string>)
    : at.ele(name, Object.fromEntries(safe) as Record<string, string>);
  if (text !== undefined) element.txt(text);
  return element;
}
