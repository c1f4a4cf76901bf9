import type { WorkerAnswer, WorkerQuestion } from './messages.ts';

/** The page: it takes files and text, asks the worker, and shows what it answers. Nothing leaves it. */

const form = byId('ask', HTMLFormElement);
const output = byId('answer', HTMLElement);
const listed = byId('files', HTMLElement);
let given: WorkerQuestion['files'][number][] = [];
let json = '';

const source = byId('worker', HTMLScriptElement).textContent;
const worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
worker.onmessage = ({ data }: MessageEvent<WorkerAnswer>): void => show(data);

form.addEventListener('submit', (event) => {
  event.preventDefault();
  ask();
});
byId('pick', HTMLInputElement).addEventListener('change', ({ currentTarget }) => {
  for (const file of (currentTarget as HTMLInputElement).files ?? [])
    take(file.webkitRelativePath || file.name, file);
});
byId('pick-folder', HTMLInputElement).addEventListener('change', ({ currentTarget }) => {
  for (const file of (currentTarget as HTMLInputElement).files ?? [])
    take(file.webkitRelativePath || file.name, file);
});
byId('clear', HTMLButtonElement).addEventListener('click', () => {
  given = [];
  byId('paste', HTMLTextAreaElement).value = '';
  listFiles();
  output.replaceChildren();
});
document.addEventListener('dragover', (event) => event.preventDefault());
document.addEventListener('drop', (event) => {
  event.preventDefault();
  for (const item of event.dataTransfer?.items ?? []) {
    const entry = item.webkitGetAsEntry();
    // What comes from another program than a file manager may be in no folder.
    const file = entry === null ? item.getAsFile() : null;
    if (entry !== null) void takeEntry(entry, '');
    else if (file !== null) take(file.name, file);
  }
});
output.addEventListener('click', ({ target }) => {
  if (!(target instanceof HTMLButtonElement)) return;
  if (target.dataset['save'] !== undefined) save();
  const { pod, container } = target.dataset;
  if (pod === undefined) return;
  byId('pod', HTMLInputElement).value = pod;
  byId('container', HTMLInputElement).value = container ?? '';
  ask();
});

function take(path: string, content: Blob): void {
  given = [...given.filter((file) => file.path !== path), { path, content }];
  listFiles();
}

function listFiles(): void {
  listed.textContent = given.length === 0 ? 'No file yet.' : given.map(({ path }) => path).join(', ');
}

async function takeEntry(entry: FileSystemEntry, below: string): Promise<void> {
  const path = `${below}${entry.name}`;
  if (isFile(entry)) {
    take(path, await new Promise<File>((done, fail) => entry.file(done, fail)));
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A folder is given in pieces; the last one is empty.
    const entries = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
    if (entries.length === 0) return;
    for (const inner of entries) await takeEntry(inner, `${path}/`);
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function ask(): void {
  const text = byId('paste', HTMLTextAreaElement).value;
  const pasted = text.trim() === '' ? [] : [{ path: '(pasted)', content: new Blob([text]) }];
  const files = [...given.toSorted((a, b) => (a.path < b.path ? -1 : 1)), ...pasted];
  const [pod, container, timezone, year] = ['pod', 'container', 'timezone', 'year'].map((id) =>
    byId(id, HTMLInputElement).value.trim(),
  );
  if (files.length === 0) {
    show({ problem: 'Drop files here, choose some, or paste text.' });
    return;
  }
  output.textContent = 'Reading …';
  output.setAttribute('aria-busy', 'true');
  const asked: WorkerQuestion = {
    files,
    question: {
      isList: !pod,
      ...(pod ? { pod } : {}),
      ...(container ? { container } : {}),
    },
    options: { ...(timezone ? { timezone } : {}), ...(year ? { year: Number(year) } : {}) },
  };
  worker.postMessage(asked);
}

function show(answered: WorkerAnswer): void {
  output.removeAttribute('aria-busy');
  if ('problem' in answered) {
    const message = document.createElement('pre');
    message.className = 'problem';
    message.textContent = answered.problem;
    output.replaceChildren(message);
    return;
  }
  ({ json } = answered);
  // The worker escapes every value; the policy of the page runs nothing that is in it.
  output.innerHTML = `${answered.html}<p><button type="button" data-save>Save the answer as JSON</button></p>`;
  for (const button of output.querySelectorAll<HTMLButtonElement>('button[data-death]')) {
    const death = answered.deaths[Number(button.dataset['death'])];
    if (death?.pod === undefined) button.disabled = true;
    else {
      button.dataset['pod'] = death.pod;
      if (death.container !== undefined) button.dataset['container'] = death.container;
    }
  }
}

function save(): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([`${json}\n`], { type: 'application/json' }));
  link.download = 'autopsy.json';
  link.click();
}

function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new TypeError(`no ${id}`);
  return found;
}
