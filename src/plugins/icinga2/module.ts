/** `icinga2`: tickets and certificates of Icinga 2. Follows 3006.16 salt/modules/icinga2.py, salt/utils/icinga2.py. */
import { SaltInvocationError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { ranAll, runAll } from '../shared/program.ts';

/** Where certificates are since 2.8, and where they were before. */
const CERTS = '/var/lib/icinga2/certs/';
const OLD_CERTS = '/etc/icinga2/pki/';
const NEW_SINCE = 8;

const DOMAIN = { domain: param.text({ doc: 'The name of the node.' }) } as const;
const MASTER = { master: param.text({ doc: 'The host of the master.' }) } as const;
const TICKET = { ticket: param.text({ doc: 'The ticket that the master has given out.' }) } as const;
const ENDED = 'as cmd.run_all';

/** The folder of the certificates, which the version says. */
export async function certsPath(ctx: ModuleContext): Promise<string> {
  const { stdout } = await runAll(ctx, [findProgram('icinga2') ?? 'icinga2', '--version']);
  const minor = /r\d+\.(\d+)/.exec(stdout)?.[1];
  return minor === undefined || Number(minor) >= NEW_SINCE ? CERTS : OLD_CERTS;
}

/** A name that is part of a path. @throws SaltInvocationError */
export function nodeName(name: string): string {
  if (!name.includes('/')) return name;
  throw new SaltInvocationError(`${name} is no name of a node of Icinga`);
}

function icinga(ctx: ModuleContext, ...words: readonly string[]): Promise<Value> {
  return ranAll(ctx, [['icinga2', ...words]], { python_shell: false });
}

/** The module. */
export const icinga2Module = defineModule({
  name: 'icinga2',
  file: 'icinga2',
  doc: 'Tickets and certificates of Icinga 2.',
  words: {},
  unavailable: () => (findProgram('icinga2') === undefined ? 'Icinga2 not installed.' : undefined),
  functions: {
    generate_ticket: defineFunction({
      doc: 'Makes a ticket for a node.',
      params: DOMAIN,
      returns: ENDED,
      examples: ["salt '*' icinga2.generate_ticket domain.tld"],
      run: (ctx, { domain }) => icinga(ctx, 'pki', 'ticket', '--cn', domain),
    }),
    generate_cert: defineFunction({
      doc: 'Makes a key and a certificate for a node.',
      params: DOMAIN,
      returns: ENDED,
      examples: ["salt '*' icinga2.generate_cert domain.tld"],
      run: async (ctx, { domain }) => {
        const file = `${await certsPath(ctx)}${nodeName(domain)}`;
        return icinga(
          ctx,
          'pki',
          'new-cert',
          '--cn',
          domain,
          '--key',
          `${file}.key`,
          '--cert',
          `${file}.crt`,
        );
      },
    }),
    save_cert: defineFunction({
      doc: 'Fetches the certificate of the master.',
      params: { ...DOMAIN, ...MASTER },
      returns: ENDED,
      examples: ["salt '*' icinga2.save_cert domain.tld master.domain.tld"],
      run: async (ctx, { domain, master }) => {
        const certs = await certsPath(ctx);
        const file = `${certs}${nodeName(domain)}`;
        return icinga(
          ctx,
          ...['pki', 'save-cert', '--key', `${file}.key`, '--cert', `${file}.cert`],
          ...['--trustedcert', `${certs}trusted-master.crt`, '--host', master],
        );
      },
    }),
    request_cert: defineFunction({
      doc: 'Has the master sign the certificate of a node.',
      params: { ...DOMAIN, ...MASTER, ...TICKET, port: param.text({ doc: 'The port of the master.' }) },
      returns: ENDED,
      examples: ["salt '*' icinga2.request_cert domain.tld master.domain.tld TICKET_ID 5665"],
      run: async (ctx, { domain, master, ticket, port }) => {
        const certs = await certsPath(ctx);
        const file = `${certs}${nodeName(domain)}`;
        return icinga(
          ctx,
          ...['pki', 'request', '--host', master, '--port', port, '--ticket', ticket],
          ...['--key', `${file}.key`, '--cert', `${file}.crt`],
          ...['--trustedcert', `${certs}trusted-master.crt`, '--ca', `${certs}ca.crt`],
        );
      },
    }),
    node_setup: defineFunction({
      doc: 'Sets a node up.',
      params: { ...DOMAIN, ...MASTER, ...TICKET },
      returns: ENDED,
      examples: ["salt '*' icinga2.node_setup domain.tld master.domain.tld TICKET_ID"],
      run: async (ctx, { domain, master, ticket }) =>
        icinga(
          ctx,
          ...['node', 'setup', '--ticket', ticket, '--endpoint', master, '--zone', domain],
          ...['--master_host', master, '--trustedcert', `${await certsPath(ctx)}trusted-master.crt`],
        ),
    }),
  },
});

/** What a program said, for people. @param ended as cmd.run_all gives it */
export function saidBy(ended: Value): {
  readonly isGood: boolean;
  readonly stdout: string;
  readonly all: string;
} {
  const field = (name: string): Value => (isDict(ended) ? (ended.get(name) ?? null) : null);
  const [stdout, stderr] = ['stdout', 'stderr'].map((name) => pyStr(field(name) ?? ''));
  return {
    isGood: field('retcode') === 0,
    stdout: stdout ?? '',
    all: [stdout, stderr].filter((text) => text !== '').join('\n'),
  };
}
