/** Questions for names and passwords. */
import type { CommandIo } from './io.ts';
import { readLine } from './stdin.ts';

/** Asks for a text on standard error, so that it does not stand in what is piped on. @returns '' at the end of input */
export async function askText(io: CommandIo, question: string): Promise<string> {
  io.stderr.write(`${question}: `);
  return (await readLine(io.stdin)) ?? '';
}

/** Asks for a secret: on a terminal what is typed is not shown. @returns '' at the end of input, and after Ctrl-C */
export async function askSecret(io: CommandIo, question: string): Promise<string> {
  const { stdin } = io;
  if (stdin.isTTY !== true) return askText(io, question);
  io.stderr.write(`${question}: `);
  stdin.setRawMode(true);
  try {
    return await typedLine(stdin);
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    io.stderr.write('\n');
  }
}

const [CTRL_C, CTRL_D, BACKSPACE, DELETE] = ['\u0003', '\u0004', '\b', '\u007f'];

function typedLine(stdin: NodeJS.ReadStream): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    stdin.setEncoding('utf8');
    const take = (chunk: string | Buffer): void => {
      for (const char of String(chunk)) {
        if (char === '\r' || char === '\n') return finish(text);
        if (char === CTRL_C || char === CTRL_D) return finish('');
        if (char === BACKSPACE || char === DELETE) text = [...text].slice(0, -1).join('');
        else text += char;
      }
    };
    const finish = (line: string): void => {
      stdin.off('data', take);
      resolve(line);
    };
    stdin.on('data', take);
    stdin.resume();
  });
}
