/** One file over HTTP, straight to the disk: bounded in size and time, no redirect followed. */
import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { noteShown } from '../tls/shown.ts';
import { startRequest, unreachable, type HttpRequest } from './client.ts';

/** A file that is fetched. */
export interface Download extends Omit<HttpRequest, 'answerBytesMax'> {
  /** Where it is written; made anew. */
  readonly path: string;
  readonly bytesMax: number;
}

/**
 * @returns the status; only with 200 there is a file
 * @throws UnreachableError naming the host, when it does not come whole and in time
 */
export function downloadHttp(wanted: Download): Promise<number> {
  const { clock, timeoutMs } = wanted;
  return new Promise((resolve, reject) => {
    const request = startRequest(wanted);
    const note = noteShown(request);
    const timer = clock.after(timeoutMs, () =>
      request.destroy(new Error(`no whole answer within ${timeoutMs / 1000} s`)),
    );
    const fail = (error: unknown): void => {
      timer.cancel();
      reject(unreachable(error, wanted, note));
    };
    request.once('error', fail);
    request.once('response', (answer) => {
      written(answer, wanted).then((status) => {
        timer.cancel();
        resolve(status);
      }, fail);
    });
    request.end(wanted.body);
  });
}

async function written(answer: IncomingMessage, { path, bytesMax }: Download): Promise<number> {
  const status = answer.statusCode ?? 0;
  if (status !== 200) {
    answer.destroy();
    return status;
  }
  let bytes = 0;
  const bounded = new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      if (bytes > bytesMax) done(new Error(`the file is larger than ${bytesMax} bytes`));
      else done(null, piece);
    },
  });
  await pipeline(answer, bounded, createWriteStream(path, { mode: 0o600 }));
  return status;
}
