/** The console in a real browser, on a fleet of built programs. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { Fleet, freePort, type Daemon } from './fleet.ts';

const CHROMIUM = process.env['BRINE_CHROMIUM'] ?? '/usr/bin/chromium';
const WAIT_MS = 60_000;

/** Whether there is a browser to test with. */
export const hasBrowser: boolean = existsSync(CHROMIUM);

/** What somebody who tests may log in with. */
export const PASSWORD = 'pw';

/** A fleet whose API serves the console. */
export class ConsoleFleet {
  readonly fleet: Fleet;
  readonly port: number;
  api: Daemon | undefined;

  private constructor(fleet: Fleet, port: number) {
    this.fleet = fleet;
    this.port = port;
  }

  /**
   * Starts a master and its API.
   * @param options lines of the master's configuration, where need be made for the port of the API;
   * @param prepare before the master starts
   */
  static async start(
    t: TestContext,
    options: readonly string[] | ((port: number) => readonly string[]) = [],
    prepare: (fleet: Fleet) => Promise<void> = () => Promise.resolve(),
  ): Promise<ConsoleFleet> {
    const port = await freePort();
    const fleet = await Fleet.create(t);
    writeFileSync(fleet.path('users'), `alice:${PASSWORD}\nlimited:${PASSWORD}\n`);
    for (const folder of ['srv', 'pillar']) mkdirSync(fleet.path(folder));
    fleet.configureMaster([
      `api_pidfile: ${fleet.path('api.pid')}`,
      `api_logfile: ${fleet.path('api.log')}`,
      `file_roots: {base: ['${fleet.path('srv')}']}`,
      `pillar_roots: {base: ['${fleet.path('pillar')}']}`,
      'presence_events: True',
      'external_auth:',
      '  file:',
      `    ^filename: ${fleet.path('users')}`,
      '    ^hashtype: plaintext',
      "    alice: ['.*', '@runner', '@wheel', '@jobs']",
      "    limited: [{'web*': [test.ping]}]",
      'netapi_enable_clients: [local, local_async, local_batch, local_subset, runner, runner_async, wheel, wheel_async]',
      'rest_cherrypy:',
      `  port: ${port}`,
      '  disable_ssl: True',
      ...(typeof options === 'function' ? options(port) : options),
    ]);
    const console = new ConsoleFleet(fleet, port);
    await prepare(fleet);
    await fleet.startMaster();
    await console.startApi();
    return console;
  }

  async startApi(): Promise<Daemon> {
    this.api = this.fleet.start('salt-api', ['-c', this.fleet.masterDir, '-l', 'info']);
    await this.api.logged('Salt API is starting');
    return this.api;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/`;
  }
}

/** How a page is opened. */
export interface OpenOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  readonly user?: string;
}

/** A page that is watched: what breaks the rules of the console is a failure. */
export class ConsolePage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser has complained about; answers with an error are not among it. */
  readonly complaints: string[] = [];

  private constructor(context: BrowserContext, page: Page, own: string) {
    this.context = context;
    this.page = page;
    page.setDefaultTimeout(WAIT_MS);
    page.on('pageerror', (error) => this.complaints.push(String(error.stack ?? error)));
    page.on('console', (message) => {
      const text = message.text();
      if (message.type() === 'error' && !/Failed to load resource|ERR_/.test(text))
        this.complaints.push(text);
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(own) && !request.url().startsWith('data:'))
        this.complaints.push(`asks ${request.url()}`);
    });
    page.on('dialog', (dialog) => {
      this.complaints.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
  }

  static async open(
    browser: Browser,
    { url }: ConsoleFleet,
    options: OpenOptions = {},
  ): Promise<ConsolePage> {
    const { colorScheme = 'light', width = 1280, user = 'alice' } = options;
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      colorScheme,
      reducedMotion: 'reduce',
    });
    const opened = new ConsolePage(context, await context.newPage(), url);
    await opened.page.goto(url);
    await opened.logIn(user);
    return opened;
  }

  async logIn(user: string, password: string = PASSWORD): Promise<void> {
    await this.page.fill('input[name=username]', user);
    await this.page.fill('input[name=password]', password);
    await this.page.press('input[name=password]', 'Enter');
    await this.page.waitForSelector('.shell main h1');
  }

  /** Goes to a view by its address. */
  async go(hash: string): Promise<void> {
    await this.page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  }

  /** Waits for a text in the view. */
  async sees(text: string | RegExp, within = 'main'): Promise<void> {
    await this.page.locator(within).getByText(text).first().waitFor();
  }

  /** What axe finds against WCAG 2.1 A and AA. */
  async violations(): Promise<string[]> {
    const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    // the policy of the page lets no other script in; the debugger of the browser is not bound by it
    await this.page.evaluate(source);
    return this.page.evaluate(async () => {
      interface Axe {
        run(
          options: object,
        ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }>;
      }
      const { axe } = globalThis as unknown as { axe: Axe };
      const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];
      const { violations } = await axe.run({ runOnly: { type: 'tag', values: tags } });
      return violations.map(
        ({ id, nodes }) =>
          `${id}: ${nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`).join('\n')}`,
      );
    });
  }

  /** Fails when the page has broken a rule of the console, or is not accessible. */
  async assertSound(where: string): Promise<void> {
    assert.deepEqual(this.complaints, [], where);
    assert.deepEqual(await this.violations(), [], where);
  }

  /** Keeps a picture for the documentation, when `BRINE_PICTURES` names a folder. */
  async picture(name: string): Promise<void> {
    const folder = process.env['BRINE_PICTURES'];
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true });
    await this.page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
  }

  async close(): Promise<void> {
    await this.context.close();
  }
}

/** Starts the browser; it ends with the test. */
export async function startBrowser(t: TestContext): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  });
  t.after(() => browser.close());
  return browser;
}
