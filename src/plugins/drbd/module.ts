/** `drbd`: disks that are kept the same on several machines. Follows 3006.16 salt/modules/drbd.py. */
import { splitLines } from '../../python/values/text.ts';
import { dict, type Dict } from '../../python/values/value.ts';
import { defineFunction, defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { runText } from '../shared/program.ts';

const wordsIn = (line: string): string[] => line.split(/\s+/).filter((word) => word !== '');

/** A field for both sides: `Primary/Secondary`, or `UpToDate(2*)` for the same on both. */
function bothSides(field = ''): [own: string, other: string] {
  const [name = '', rest] = field.split('(');
  if (rest !== undefined) return [name, name];
  const [own = '', other = ''] = field.split('/');
  return [own, other];
}

/** A line of drbd-overview. */
function overviewOf(line: string): Dict {
  const fields = wordsIn(line);
  const [minor = '', device = ''] = (fields[0] ?? '').split(':');
  const [connection] = bothSides(fields[1]);
  const [role, partnerRole] = bothSides(fields[2]);
  const [disk, partnerDisk] = bothSides(fields[3]);
  if (!disk.startsWith('UpTo')) return dict();
  const about = dict({
    'minor number': minor,
    device,
    'connection state': connection,
    'local role': role,
    'partner role': partnerRole,
    'local disk state': disk,
    'partner disk state': partnerDisk,
  });
  if (!partnerDisk.startsWith('UpTo'))
    return about
      .set('synchronisation: ', fields[4] ?? '')
      .set('synched', `${fields[6] ?? ''}${fields[7] ?? ''}`);
  const names = ['mountpoint', 'fs', 'total size', 'used', 'remains', 'percent'];
  if (fields.length > 4) names.forEach((name, i) => about.set(name, fields[4 + i] ?? ''));
  return about;
}

/** The pairs `name:value` of a line. */
function pairsIn(words: readonly string[]): Dict {
  return new Map(
    words.map((word) => {
      const [name = '', value = ''] = word.split(':');
      return [name, value];
    }),
  );
}

/** What `drbdadm status` says, which tells by its indentation what belongs to what. */
function resourcesIn(said: string): Dict[] {
  const found: Dict[] = [];
  let own: Dict[] = [];
  let peers: Dict[] = [];
  let ofPeer: Dict[] = [];
  for (const line of splitLines(said)) {
    if ((line.split('#')[0] ?? '').trim() === '') continue;
    const depth = line.length - line.trimStart().length;
    const [name = '', ...words] = wordsIn(line);
    if (depth === 0) {
      [own, peers] = [[], []];
      const role = pairsIn(words.slice(0, 1)).get('role') ?? '';
      found.push(
        dict({ 'resource name': name, 'local role': role, 'local volumes': own, 'peer nodes': peers }),
      );
    } else if (depth === 2 && line.includes(' disk:')) own.push(pairsIn([name, ...words]));
    else if (depth === 2 && / (?:role|connection):/.test(line)) {
      ofPeer = [];
      const peer = new Map([...dict({ 'peernode name': name }), ...pairsIn(words.slice(0, 1))]);
      peers.push(peer.set('peer volumes', ofPeer));
    } else if (depth === 4 && line.includes(' peer-disk:')) ofPeer.push(pairsIn([name, ...words]));
  }
  return found;
}

/** The module. */
export const drbdModule = defineModule({
  name: 'drbd',
  file: 'drbd',
  doc: 'Disks that are kept the same on several machines, by DRBD.',
  words: {},
  functions: {
    overview: defineFunction({
      doc: 'Returns what drbd-overview says of the last device, of two machines; newer versions have status.',
      returns: 'mapping',
      examples: ["salt '*' drbd.overview"],
      run: async (ctx) => overviewOf(splitLines(await runText(ctx, ['drbd-overview'])).at(-1) ?? ''),
    }),
    status: defineFunction({
      doc: 'Returns the state of resources.',
      params: { name: param.text({ default: 'all', doc: 'The resource.' }) },
      returns: 'list of mappings: resource name, local role, local volumes, peer nodes',
      examples: ["salt '*' drbd.status name=<resource name>"],
      run: async (ctx, { name }) => resourcesIn(await runText(ctx, ['drbdadm', 'status', name])),
    }),
  },
});
