/** The functions of `firewalld` on services: ports and protocols under one name (3006.16 salt/modules/firewalld.py). */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { firewall, manage, printedWords } from './run.ts';

const NAME = { name: param.text({ doc: 'The service.' }) } as const;
const SERVICE = { service: param.text({ doc: 'The service.' }) } as const;
const PORT = { port: param.text({ doc: 'The port: `80/tcp`.' }) } as const;
const PROTOCOL = { protocol: param.text({ doc: 'The protocol: `gre`.' }) } as const;
const RESTART = {
  restart: param.flag({ default: true, doc: 'Have the rules read again, so that it is known at once.' }),
} as const;
const SAID = 'what firewall-cmd printed: success';

const onService = (ctx: ModuleContext, service: string, word: string): Promise<string> =>
  firewall(ctx, ['--permanent', `--service=${service}`, word]);

async function changePort(ctx: ModuleContext, service: string, word: string): Promise<string> {
  const known = await printedWords(ctx, ['--get-services', '--permanent']);
  if (!known.includes(service)) throw new CommandExecutionError('The service does not exist.');
  return onService(ctx, service, word);
}

/** The functions. */
export const SERVICE_FUNCTIONS = {
  new_service: defineFunction({
    doc: 'Adds a service.',
    params: { ...NAME, ...RESTART },
    returns: SAID,
    examples: ["salt '*' firewalld.new_service my_service"],
    run: (ctx, { name, restart }) => manage(ctx, `--new-service=${name}`, restart),
  }),
  delete_service: defineFunction({
    doc: 'Removes a service.',
    params: { ...NAME, ...RESTART },
    returns: SAID,
    examples: ["salt '*' firewalld.delete_service my_service"],
    run: (ctx, { name, restart }) => manage(ctx, `--delete-service=${name}`, restart),
  }),
  get_service_ports: defineFunction({
    doc: 'Lists the ports of a service.',
    params: SERVICE,
    returns: 'list of ports',
    examples: ["salt '*' firewalld.get_service_ports my_service"],
    run: (ctx, { service }) => printedWords(ctx, ['--permanent', `--service=${service}`, '--get-ports']),
  }),
  add_service_port: defineFunction({
    doc: 'Adds a port to a service.',
    params: { ...SERVICE, ...PORT },
    returns: SAID,
    examples: ["salt '*' firewalld.add_service_port my_service 80/tcp"],
    run: (ctx, { service, port }) => changePort(ctx, service, `--add-port=${port}`),
  }),
  remove_service_port: defineFunction({
    doc: 'Takes a port out of a service.',
    params: { ...SERVICE, ...PORT },
    returns: SAID,
    examples: ["salt '*' firewalld.remove_service_port my_service 80/tcp"],
    run: (ctx, { service, port }) => changePort(ctx, service, `--remove-port=${port}`),
  }),
  get_service_protocols: defineFunction({
    doc: 'Lists the protocols of a service.',
    params: SERVICE,
    returns: 'list of protocols',
    examples: ["salt '*' firewalld.get_service_protocols my_service"],
    run: (ctx, { service }) => printedWords(ctx, ['--permanent', `--service=${service}`, '--get-protocols']),
  }),
  add_service_protocol: defineFunction({
    doc: 'Adds a protocol to a service.',
    params: { ...SERVICE, ...PROTOCOL },
    returns: SAID,
    examples: ["salt '*' firewalld.add_service_protocol my_service gre"],
    run: (ctx, { service, protocol }) => onService(ctx, service, `--add-protocol=${protocol}`),
  }),
  remove_service_protocol: defineFunction({
    doc: 'Takes a protocol out of a service.',
    params: { ...SERVICE, ...PROTOCOL },
    returns: SAID,
    examples: ["salt '*' firewalld.remove_service_protocol my_service gre"],
    run: (ctx, { service, protocol }) => onService(ctx, service, `--remove-protocol=${protocol}`),
  }),
};
