/** What is wrong at a place of a YAML file. */
export interface Fault {
  readonly offset: number;
  readonly expected: string;
  readonly received: string;
  readonly nearest?: string | undefined;
}

/** Whatever YAML makes of `{{ … }}`, it is a template that nobody has rendered. */
export function ofTemplate(fault: Fault, text: string): Fault {
  const received = quoteLine(text, fault.offset);
  return /\{\{.*\}\}/.test(received) ? { offset: fault.offset, expected: NO_TEMPLATE, received } : fault;
}

const NO_TEMPLATE = 'YAML and no template: render it before, such as by `helm template`';

/** The line at an offset, as it is there. */
export function quoteLine(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  const line = text.slice(start, end === -1 ? undefined : end).trim();
  return line === '' ? 'the end of the file' : JSON.stringify(line);
}
