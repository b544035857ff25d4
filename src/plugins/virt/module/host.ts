/** What machines take of their host, and what they leave (3006.16 salt/modules/virt.py). */
import { readFile } from 'node:fs/promises';
import { pathExists } from '../../../python/paths.ts';
import { dict, float, type Dict, type Value } from '../../../python/values/value.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { describeMachine } from './describe.ts';
import { asking, DONE, ofEach, ONE } from './functions.ts';
import { leadingNumber, type Virsh } from './virsh.ts';
import { lineOutput } from '../../shared/program.ts';

const KIB = 1024;

async function nodeInfo(virsh: Virsh): Promise<Dict> {
  const facts = await virsh.facts(['nodeinfo']);
  const number = (name: string): number => leadingNumber(facts.get(name));
  return dict({
    cpucores: number('core(s) per socket'),
    cpumhz: number('cpu frequency'),
    cpumodel: facts.get('cpu model') ?? '',
    cpus: number('cpu(s)'),
    cputhreads: number('thread(s) per core'),
    numanodes: number('numa cell(s)'),
    phymemory: Math.floor(number('memory size') / KIB),
    sockets: number('cpu socket(s)'),
  });
}

/** What the machines that run leave. @param begin what there is @param field what each takes */
async function left(virsh: Virsh, begin: number, field: string, unit: number): Promise<number> {
  let rest = begin;
  for (const name of await virsh.machines('active'))
    rest -= leadingNumber((await virsh.facts(['dominfo', name])).get(field)) / unit;
  return rest;
}

/** What libvirt itself needs, in MiB. */
const OWN_MIB = 256;
async function freeMemory(virsh: Virsh): Promise<Value> {
  const all = Number((await nodeInfo(virsh)).get('phymemory')) - OWN_MIB;
  // Salt compat: a number with a fraction as soon as a machine has some of it
  return (await virsh.machines('active')).length === 0
    ? all
    : float(await left(virsh, all, 'used memory', KIB));
}
const freeProcessors = async (virsh: Virsh): Promise<number> =>
  left(virsh, Number((await nodeInfo(virsh)).get('cpus')), 'cpu(s)', 1);

async function hypervisor(ctx: ModuleContext): Promise<'kvm' | 'xen' | undefined> {
  const isServed = async (): Promise<boolean> =>
    (await lineOutput(ctx, [ctx.grains.get('ps') ?? 'ps -efHww'])).includes('libvirtd');
  if (pathExists('/dev/kvm') && (await isServed())) return 'kvm';
  if (ctx.grains.get('virtual_subtype') !== 'Xen Dom0') return undefined;
  const modules = await readFile('/proc/modules', 'utf8').catch(() => '');
  return modules.includes('xen_') && (await isServed()) ? 'xen' : undefined;
}

/** Functions about the host. */
export const host = {
  node_info: defineFunction({
    doc: 'Describes the host.',
    kwargs: 'kwargs',
    returns: 'mapping of cpus, phymemory and more',
    run: asking((virsh) => nodeInfo(virsh)),
  }),
  freemem: defineFunction({
    doc: 'Says how much memory is not given to machines.',
    kwargs: 'kwargs',
    returns: 'MiB',
    run: asking(freeMemory),
  }),
  freecpu: defineFunction({
    doc: 'Says how many processors are not given to machines.',
    kwargs: 'kwargs',
    returns: 'number',
    run: asking(freeProcessors),
  }),
  full_info: defineFunction({
    doc: 'Describes the host and all machines.',
    kwargs: 'kwargs',
    returns: 'mapping of freecpu, freemem, node_info and vm_info',
    run: asking(async (virsh, _args, ctx) =>
      dict({
        freecpu: await freeProcessors(virsh),
        freemem: await freeMemory(virsh),
        node_info: await nodeInfo(virsh),
        vm_info: await ofEach(virsh, undefined, (name) => describeMachine(ctx, virsh, name)),
      }),
    ),
  }),
  virt_type: defineFunction({
    doc: 'Says what kind of machine this is itself.',
    returns: 'the grain virtual',
    run: (ctx) => ctx.grains.get('virtual') ?? null,
  }),
  get_hypervisor: defineFunction({
    doc: 'Says what this host runs machines with.',
    returns: 'kvm, xen or None',
    run: async (ctx) => (await hypervisor(ctx)) ?? null,
  }),
  is_hyper: defineFunction({
    doc: 'Says whether this host runs machines.',
    returns: DONE,
    run: async (ctx) => (await hypervisor(ctx)) !== undefined,
  }),
  vm_cputime: defineFunction({
    doc: 'Says how long machines have computed.',
    params: ONE,
    kwargs: 'kwargs',
    returns: 'mapping of machine to cputime (nanoseconds) and cputime_percent',
    run: asking(async (virsh, { vm_ }) => {
      const cpus = Number((await nodeInfo(virsh)).get('cpus'));
      return ofEach(virsh, vm_, async (name) => {
        const facts = await virsh.facts(['dominfo', name]);
        const cputime = Math.round(leadingNumber(facts.get('cpu time')) * 1e9);
        const each = leadingNumber(facts.get('cpu(s)')) || 1;
        return dict({ cputime, cputime_percent: Math.round((1e-7 * cputime) / cpus / each) });
      });
    }),
  }),
};
