/** What a command sees of the world, so that it can be run in a test as well as in a process. */

/** Somewhere to write text. */
export interface TextSink {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** The streams and the environment of a command. */
export interface CommandIo {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly env: NodeJS.ProcessEnv;
}

/** The process's own. */
export const processIo: CommandIo = {
  // looked at only by who reads it: Node takes six milliseconds to make it
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
};
