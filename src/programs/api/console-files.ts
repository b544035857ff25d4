/**
 * The console: the page that browsers get at the root, and the files that it loads. They are made by
 * `scripts/build-console.mjs` and named by what is in them, so that a browser may keep them for good. Nothing in the
 * page may reach another host or run what is not one of these files.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bestOf } from './accept.ts';
import type { Exchange } from './exchange.ts';
import { HttpFault } from './http-fault.ts';
import type { KeptFiles } from './kept-files.ts';
import { shownPath } from './logged-target.ts';

/** The first name of the addresses of its files. */
const FOLDER = 'console';
const ASSET = /^[a-z]+-[A-Z0-9]{8}\.(js|css)$/;
const TYPES: ReadonlyMap<string, string> = new Map([
  ['js', 'text/javascript;charset=utf-8'],
  ['css', 'text/css;charset=utf-8'],
  ['html', 'text/html;charset=utf-8'],
]);

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const HEADERS: readonly (readonly [string, string])[] = [
  ['Content-Security-Policy', POLICY],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Frame-Options', 'DENY'],
];

/** A file of the console as one request gets it. */
export interface ConsoleFile {
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

/** Finds the files of the console. */
export class ConsoleFiles {
  readonly #folder: string;
  readonly #kept: KeptFiles;

  /** @param folder where the build has put them */
  constructor(folder: string, kept: KeptFiles) {
    this.#folder = folder;
    this.#kept = kept;
  }

  /**
   * The file that a request is for.
   * @returns undefined when it is for something else: only a browser that asks for the root gets the page
   * @throws HttpFault 404 for a file that is not there
   */
  async find(exchange: Exchange): Promise<ConsoleFile | undefined> {
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return undefined;
    const [first, name, ...more] = exchange.segments;
    if (first === undefined) return prefersPage(exchange) ? this.#read('index.html', exchange) : undefined;
    if (first !== FOLDER) return undefined;
    if (name === undefined || more.length > 0 || !ASSET.test(name))
      throw new HttpFault(404, `The path '${shownPath(exchange.path)}' was not found.`);
    return this.#read(name, exchange);
  }

  async #read(name: string, exchange: Exchange): Promise<ConsoleFile> {
    const coding = codingFor(exchange.header('accept-encoding'));
    const path = join(this.#folder, coding === undefined ? name : `${name}.${coding.ending}`);
    const body = await this.#kept
      .bytes(path, (of) => readFile(of))
      .catch(() => {
        throw new HttpFault(
          404,
          name === 'index.html'
            ? 'The console was not built: npm run build makes it.'
            : 'This file belongs to another version of the console. Load the page again.',
        );
      });
    const type = TYPES.get(name.slice(name.lastIndexOf('.') + 1)) as string;
    const lasts = name === 'index.html' ? 'no-cache' : 'public, max-age=31536000, immutable';
    return {
      body,
      headers: [
        ...HEADERS,
        ['Content-Type', type],
        ['Cache-Control', lasts],
        ['Vary', 'Accept, Accept-Encoding'],
        ...(coding === undefined ? [] : [['Content-Encoding', coding.name] as const]),
      ],
    };
  }
}

/** Browsers name HTML; programs that take anything, or would rather have JSON, get the welcome of Salt. */
function prefersPage(exchange: Exchange): boolean {
  const accept = exchange.header('accept') ?? '';
  return accept.includes('text/html') && bestOf(accept, ['application/json', 'text/html']) === 'text/html';
}

function codingFor(header = ''): { name: string; ending: string } | undefined {
  const takes = (name: string): boolean => new RegExp(`\\b${name}\\b(?!;q=0(\\.0*)?(,|$))`).test(header);
  if (takes('br')) return { name: 'br', ending: 'br' };
  return takes('gzip') ? { name: 'gzip', ending: 'gz' } : undefined;
}
