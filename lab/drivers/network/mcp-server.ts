import { McpServer, type CallToolResult } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { z } from 'zod';
import { LabError, UsageError } from '../../model/errors/errors.ts';
import { plainJson, plainText } from '../../model/text/plain-text.ts';

/** A tool that reads and changes nothing. */
export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** What it takes; it refuses everything else. */
  readonly input: z.ZodObject;
  /** What it answers. */
  readonly output: z.ZodObject;
  /** Answers with what JSON can say, as `output` has it. May throw LabError: its message is the answer then. */
  answer(input: unknown): object;
}

/** Who serves, and what a program should know before it asks. */
export interface McpServerInfo {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
}

/** What one answer may have, in characters: it goes into somebody's memory whole. */
const MAX_ANSWER = 200_000;
/** What a text and a list of a longer answer may have. */
const MAX_TEXT = 4096;
const MAX_LIST = 100;
/** What one message to us may have, in bytes. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/**
 * Serves tools to a program over standard input and output (Model Context Protocol), until the input ends or the signal
 * fires.
 */
export async function serveMcp(
  info: McpServerInfo,
  tools: readonly McpTool[],
  signal: AbortSignal,
): Promise<void> {
  const server = new McpServer(
    { name: info.name, version: info.version },
    { instructions: info.instructions },
  );
  for (const tool of tools) {
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: tool.input,
        outputSchema: tool.output,
        annotations: { readOnlyHint: true, openWorldHint: false },
      },
      (input: unknown) => answerCall(tool, input),
    );
  }
  let fault: Error | undefined;
  const ended = new Promise<boolean>((resolve) => {
    const end = (): void => resolve(false);
    process.stdin.once('end', end).once('close', end);
    signal.addEventListener('abort', end, { once: true });
    // The server gives up by itself on a message that it cannot take, and closes after the input has ended.
    server.server.onclose = () => resolve(true);
    server.server.onerror = (error) => (fault = error);
  });
  const { stdin, stdout } = process;
  await server.connect(new StdioServerTransport(stdin, stdout, { maxBufferSize: MAX_MESSAGE_BYTES }));
  const isGivenUp = await ended;
  await server.close();
  if (isGivenUp && fault !== undefined)
    throw new UsageError('the program that asks has sent what is not a message, and nothing more is read', {
      lastSeen: fault.message,
    });
}

function answerCall(tool: McpTool, input: unknown): CallToolResult {
  try {
    return describeAnswer(tool.answer(input));
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const hint = error.tryNext === undefined ? '' : `\ntry: ${error.tryNext}`;
    return refuse(`${error.message}${hint}`);
  }
}

/** The answer as data, and as text for a program that reads no data; one that is too long loses ends of its texts. */
function describeAnswer(answer: object): CallToolResult {
  const whole = toJson(answer);
  if (whole.length <= MAX_ANSWER) return { structuredContent: toData(whole), content: [textOf(whole)] };
  const short = toJson(shorten(answer));
  if (short.length > MAX_ANSWER)
    return refuse(
      `the answer has ${whole.length} characters, and ${MAX_ANSWER} is the limit\ntry: ask for less`,
    );
  const cut = `cut to ${MAX_TEXT} characters of a text and ${MAX_LIST} entries of a list; ask for less`;
  return { structuredContent: toData(short), content: [textOf(short), textOf(cut)] };
}

/** What JSON says: fields without a value are gone. */
function toData(json: string): Record<string, unknown> {
  return JSON.parse(json) as Record<string, unknown>;
}

function shorten(value: unknown): unknown {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT - 1)}…` : value;
  if (Array.isArray(value)) return value.slice(0, MAX_LIST).map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shorten(inner)]));
}

function refuse(why: string): CallToolResult {
  return { isError: true, content: [textOf(plainText(why).slice(0, MAX_ANSWER))] };
}

function textOf(text: string): { type: 'text'; text: string } {
  return { type: 'text', text };
}

function toJson(value: unknown): string {
  return plainJson(JSON.stringify(value, null, 1));
}
