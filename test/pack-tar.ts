import { pack } from 'tar-stream';

/** Packs files, by their names, into a tar. */
export async function packTar(files: Readonly<Record<string, Buffer>>): Promise<Buffer> {
  const archive = pack();
  for (const [name, data] of Object.entries(files)) archive.entry({ name }, data);
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
