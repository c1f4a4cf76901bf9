import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { LabError } from '../../model/errors/errors.ts';
import { plainJson, plainText } from '../../model/text/plain-text.ts';

/** A tool that reads and changes nothing. */
export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodRawShape;
  /** Answers with what JSON can say. May throw LabError: its message is the answer then. */
  answer(input: unknown): unknown;
}

/** Who serves, and what a program should know before it asks. */
export interface McpServerInfo {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
}

/** What one answer may have, in characters: it goes into somebody's memory whole. */
const MAX_ANSWER = 200_000;
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
        annotations: { readOnlyHint: true, openWorldHint: false },
      },
      (input: unknown) => answerCall(tool, input),
    );
  }
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const { stdin, stdout } = process;
  await server.connect(new StdioServerTransport(stdin, stdout, { maxBufferSize: MAX_MESSAGE_BYTES }));
  await ended;
  await server.close();
}

function answerCall(tool: McpTool, input: unknown): CallToolResult {
  try {
    return { content: [{ type: 'text', text: cut(plainJson(JSON.stringify(tool.answer(input), null, 1))) }] };
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const hint = error.tryNext === undefined ? '' : `\ntry: ${error.tryNext}`;
    return { isError: true, content: [{ type: 'text', text: cut(plainText(`${error.message}${hint}`)) }] };
  }
}

function cut(text: string): string {
  if (text.length <= MAX_ANSWER) return text;
  return `${text.slice(0, MAX_ANSWER)}\n… cut: ${MAX_ANSWER} of ${text.length} characters; ask for less`;
}
