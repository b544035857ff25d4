/** Standard input as lines. */

/** The part of a stream that is read. */
export type LineSource = NodeJS.ReadableStream & {
  readonly readableEnded?: boolean;
  destroy?: () => unknown;
};

/** All lines until the end, without their line ends. */
export async function readLines(source: LineSource): Promise<string[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(Buffer.from(chunk));
  const lines = Buffer.concat(chunks).toString('utf8').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => line.replace(/\r+$/, ''));
}

/**
 * One line, without its end; undefined at the end of input, also when that was reached before. What follows the line is
 * kept for the next who reads, and the stream no longer keeps the process alive.
 * @param signal ends waiting; the promise then rejects with the signal's reason
 */
export function readLine(source: LineSource, signal?: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let text = '';
    source.setEncoding('utf8');
    const finish = (settle: () => void): void => {
      source.off('data', take);
      source.off('end', end);
      source.off('error', fail);
      signal?.removeEventListener('abort', abort);
      source.pause();
      settle();
    };
    const take = (chunk: string | Buffer): void => {
      text += String(chunk);
      const newline = text.indexOf('\n');
      if (newline < 0) return;
      const rest = text.slice(newline + 1);
      finish(() => resolve(text.slice(0, newline).replace(/\r$/, '')));
      if (rest !== '') source.unshift(rest);
    };
    const end = (): void => finish(() => resolve(text === '' ? undefined : text));
    const fail = (error: Error): void => finish(() => reject(error));
    const abort = (): void => finish(() => reject(signal?.reason as Error));
    if (signal?.aborted) return abort();
    if (source.readableEnded === true) return end();
    signal?.addEventListener('abort', abort, { once: true });
    source.on('data', take);
    source.on('end', end);
    source.on('error', fail);
    source.resume();
  });
}
