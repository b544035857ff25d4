/** `rabbitmq`: the message broker. Follows 3006.16 salt/modules/rabbitmq.py. */
import { SaltInvocationError } from '../../errors/errors.ts';
import { parseJson } from '../../formats/json/text.ts';
import { findProgram } from '../../host/which.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { checked, dataByKey, dataWords, tagsOf } from './module/output.ts';
import { isPassword, passwordCommand } from './module/passwords.ts';
import { policies, setPolicy, setUpstream, upstreams, upstreamSettings } from './module/policies.ts';
import { control, plugins, printed, reported } from './module/run.ts';
import { UPSTREAM_PARAMS } from './module/upstream-params.ts';

const RUNAS = {
  runas: param.value({ default: null, type: 'str', doc: 'The user of the system who runs the program.' }),
} as const;
const NAME = { name: param.text({ doc: 'The user.' }) } as const;
const VHOST = { vhost: param.text({ doc: 'The virtual host.' }) } as const;
const PASSWORD = { password: param.text({ doc: 'The password.' }) } as const;
const POLICY = { name: param.text({ doc: 'The policy.' }) } as const;
const PLUGIN = { name: param.text({ doc: 'The plugin.' }) } as const;
const UPSTREAM = { name: param.text({ doc: 'The upstream.' }) } as const;

async function users(ctx: ModuleContext, runas: Value): Promise<Dict> {
  return dataByKey(await printed(ctx, ['list_users', '-q'], runas), tagsOf);
}

async function virtualHosts(ctx: ModuleContext, runas: Value): Promise<string[]> {
  return dataWords(await printed(ctx, ['list_vhosts', '-q'], runas));
}

/** Adds a user; without a password he gets a random one for a moment, since the program asks for one. */
async function addUser(ctx: ModuleContext, name: string, given: Value, runas: Value): Promise<Dict> {
  const login = {
    name,
    password: given === null ? ctx.random.bytes(15).toString('hex') : String(given),
    runas,
  };
  const said = await passwordCommand(ctx, 'add_user', login);
  if (given === null) {
    const cleared = await control(ctx, ['clear_password', name], { runas });
    if (cleared.retcode !== 0 || cleared.stderr !== '') {
      await control(ctx, ['delete_user', name], { runas });
      checked(cleared);
    }
  }
  return dict({ Added: said });
}

/** Permissions in JSON by one of their fields. */
function permissionsBy(field: string, text: string): Dict {
  const list = parseJson(text);
  if (!Array.isArray(list)) throw new SaltInvocationError(`rabbitmqctl printed no list: ${text}`);
  return new Map(
    list.flatMap((item): [Value, Value][] => {
      if (!isDict(item)) return [];
      return [[item.get(field) ?? null, new Map([...item].filter(([key]) => key !== field))]];
    }),
  );
}

async function joinCluster(
  ctx: ModuleContext,
  { host, user, ram_node, runas }: { host: string; user: string; ram_node: boolean; runas: Value },
): Promise<Dict> {
  await printed(ctx, ['stop_app'], runas);
  const words = ['join_cluster', ...(ram_node ? ['--ram'] : []), `${user}@${host}`];
  const joined = await control(ctx, words, { runas });
  await printed(ctx, ['start_app'], runas);
  return dict({ Join: checked(joined).stdout });
}

/** A function without parameters of its own that returns what one command prints. */
const said = (command: string, doc: string): ReturnType<typeof defineFunction> =>
  defineFunction({
    doc,
    params: RUNAS,
    returns: 'what rabbitmqctl printed',
    examples: [`salt '*' rabbitmq.${command}`],
    run: (ctx, { runas }) => printed(ctx, [command], runas),
  });

/** The module. */
export const rabbitmqModule = defineModule({
  name: 'rabbitmq',
  file: 'rabbitmq',
  doc: 'Users, virtual hosts, policies, plugins and clusters of RabbitMQ (`rabbitmqctl`).',
  words: { dashes: ['password'] },
  unavailable: () =>
    findProgram('rabbitmqctl') === undefined
      ? 'Module rabbitmq: module only works when RabbitMQ is installed'
      : undefined,
  functions: {
    list_users: defineFunction({
      doc: 'Lists the users with their tags.',
      params: RUNAS,
      returns: 'mapping of user to list of tags',
      examples: ["salt '*' rabbitmq.list_users"],
      run: (ctx, { runas }) => users(ctx, runas),
    }),
    list_vhosts: defineFunction({
      doc: 'Lists the virtual hosts.',
      params: RUNAS,
      returns: 'list of names',
      examples: ["salt '*' rabbitmq.list_vhosts"],
      run: (ctx, { runas }) => virtualHosts(ctx, runas),
    }),
    list_upstreams: defineFunction({
      doc: 'Lists the upstreams.',
      params: RUNAS,
      returns: 'mapping of name to definition in JSON',
      examples: ["salt '*' rabbitmq.list_upstreams"],
      run: (ctx, { runas }) => upstreams(ctx, runas),
    }),
    user_exists: defineFunction({
      doc: 'Returns whether there is a user.',
      params: { ...NAME, ...RUNAS },
      returns: 'true or false',
      examples: ["salt '*' rabbitmq.user_exists rabbit_user"],
      run: async (ctx, { name, runas }) => (await users(ctx, runas)).has(name),
    }),
    vhost_exists: defineFunction({
      doc: 'Returns whether there is a virtual host.',
      params: { name: param.text({ doc: 'The virtual host.' }), ...RUNAS },
      returns: 'true or false',
      examples: ["salt '*' rabbitmq.vhost_exists rabbit_host"],
      run: async (ctx, { name, runas }) => (await virtualHosts(ctx, runas)).includes(name),
    }),
    upstream_exists: defineFunction({
      doc: 'Returns whether there is an upstream.',
      params: { ...UPSTREAM, ...RUNAS },
      returns: 'true or false',
      examples: ["salt '*' rabbitmq.upstream_exists rabbit_upstream"],
      run: async (ctx, { name, runas }) => (await upstreams(ctx, runas)).has(name),
    }),
    add_user: defineFunction({
      doc: 'Adds a user. Without a password he cannot log in with one.',
      params: {
        ...NAME,
        password: param.value({ default: null, type: 'str', doc: 'The password.' }),
        ...RUNAS,
      },
      returns: 'mapping with Added',
      examples: ["salt '*' rabbitmq.add_user rabbit_user password"],
      run: (ctx, { name, password, runas }) => addUser(ctx, name, password, runas),
    }),
    delete_user: defineFunction({
      doc: 'Removes a user.',
      params: { ...NAME, ...RUNAS },
      returns: 'mapping with Deleted',
      examples: ["salt '*' rabbitmq.delete_user rabbit_user"],
      run: (ctx, { name, runas }) => reported(ctx, ['delete_user', name], { runas, word: 'Deleted' }),
    }),
    change_password: defineFunction({
      doc: 'Changes the password of a user.',
      params: { ...NAME, ...PASSWORD, ...RUNAS },
      returns: 'mapping with Password Changed',
      examples: ["salt '*' rabbitmq.change_password rabbit_user password"],
      run: async (ctx, login) =>
        dict({ 'Password Changed': await passwordCommand(ctx, 'change_password', login) }),
    }),
    clear_password: defineFunction({
      doc: 'Takes the password of a user away.',
      params: { ...NAME, ...RUNAS },
      returns: 'mapping with Password Cleared',
      examples: ["salt '*' rabbitmq.clear_password rabbit_user"],
      run: (ctx, { name, runas }) =>
        reported(ctx, ['clear_password', name], { runas, word: 'Password Cleared' }),
    }),
    check_password: defineFunction({
      doc: 'Returns whether a user has this password.',
      params: { ...NAME, ...PASSWORD, ...RUNAS },
      returns: 'true or false',
      examples: ["salt '*' rabbitmq.check_password rabbit_user password"],
      run: (ctx, login) => isPassword(ctx, login),
    }),
    add_vhost: defineFunction({
      doc: 'Adds a virtual host.',
      params: { ...VHOST, ...RUNAS },
      returns: 'mapping with Added',
      examples: ["salt '*' rabbitmq.add_vhost '<vhost_name>'"],
      run: (ctx, { vhost, runas }) => reported(ctx, ['add_vhost', vhost], { runas, word: 'Added' }),
    }),
    delete_vhost: defineFunction({
      doc: 'Removes a virtual host.',
      params: { ...VHOST, ...RUNAS },
      returns: 'mapping with Deleted',
      examples: ["salt '*' rabbitmq.delete_vhost '<vhost_name>'"],
      run: (ctx, { vhost, runas }) => reported(ctx, ['delete_vhost', vhost], { runas, word: 'Deleted' }),
    }),
    set_permissions: defineFunction({
      doc: 'Says what a user may do in a virtual host. Each permission is a pattern of names.',
      params: {
        ...VHOST,
        user: param.text({ doc: 'The user.' }),
        conf: param.value({ default: '.*', type: 'str', doc: 'What he may configure.' }),
        write: param.value({ default: '.*', type: 'str', doc: 'What he may write to.' }),
        read: param.value({ default: '.*', type: 'str', doc: 'What he may read.' }),
        ...RUNAS,
      },
      returns: 'mapping with Permissions Set',
      examples: ["salt '*' rabbitmq.set_permissions myvhost myuser"],
      run: (ctx, { vhost, user, conf, write, read, runas }) =>
        reported(ctx, ['set_permissions', '-p', vhost, user, conf, write, read], {
          runas,
          word: 'Permissions Set',
        }),
    }),
    list_permissions: defineFunction({
      doc: 'Lists who may do what in a virtual host.',
      params: { ...VHOST, ...RUNAS },
      returns: 'mapping of user to configure, write and read',
      examples: ["salt '*' rabbitmq.list_permissions /myvhost"],
      run: async (ctx, { vhost, runas }) => {
        const words = ['list_permissions', '--formatter=json', '-p', vhost];
        // Salt compat: Salt reads the output of a program that failed, and says that it is no JSON.
        return permissionsBy('user', checked(await control(ctx, words, { runas })).stdout);
      },
    }),
    list_user_permissions: defineFunction({
      doc: 'Lists where a user may do what.',
      params: { ...NAME, ...RUNAS },
      returns: 'mapping of virtual host to configure, write and read',
      examples: ["salt '*' rabbitmq.list_user_permissions user"],
      run: async (ctx, { name, runas }) => {
        const words = ['list_user_permissions', name, '--formatter=json'];
        return permissionsBy('vhost', checked(await control(ctx, words, { runas })).stdout);
      },
    }),
    set_user_tags: defineFunction({
      doc: 'Gives a user these tags, and no others.',
      params: { ...NAME, tags: param.value({ type: 'list or str', doc: 'The tags.' }), ...RUNAS },
      returns: 'mapping with Tag(s) set',
      examples: ["salt '*' rabbitmq.set_user_tags myadmin administrator"],
      run: (ctx, { name, tags, runas }) =>
        reported(ctx, ['set_user_tags', name, ...(Array.isArray(tags) ? tags : [tags])], {
          runas,
          word: 'Tag(s) set',
        }),
    }),
    status: said('status', 'Returns the status of the broker.'),
    cluster_status: said('cluster_status', 'Returns the status of the cluster.'),
    join_cluster: defineFunction({
      doc: 'Has the broker join a cluster; the application is stopped meanwhile.',
      params: {
        host: param.text({ doc: 'The host of a node of the cluster.' }),
        user: param.text({ default: 'rabbit', doc: 'The name of its node in front of the host.' }),
        ram_node: param.flag({ default: null, doc: 'Keep data in memory only.' }),
        ...RUNAS,
      },
      returns: 'mapping with Join',
      examples: ["salt '*' rabbitmq.join_cluster rabbit.example.com rabbit"],
      run: (ctx, args) => joinCluster(ctx, args),
    }),
    stop_app: said('stop_app', 'Stops the application and leaves its Erlang node running.'),
    start_app: said('start_app', 'Starts the application.'),
    reset: said('reset', 'Makes a broker as it was when it was new.'),
    force_reset: said('force_reset', 'Makes a broker as it was when it was new, whatever its state.'),
    list_queues: defineFunction({
      doc: 'Lists the queues of the virtual host `/`.',
      params: RUNAS,
      varargs: 'args',
      returns: 'mapping of queue to list of figures',
      examples: ["salt '*' rabbitmq.list_queues None messages consumers"],
      run: async (ctx, { runas }, rest) =>
        dataByKey(await printed(ctx, ['list_queues', '-q', ...rest], runas)),
    }),
    list_queues_vhost: defineFunction({
      doc: 'Lists the queues of a virtual host.',
      params: { ...VHOST, ...RUNAS },
      varargs: 'args',
      returns: 'mapping of queue to list of figures',
      examples: ["salt '*' rabbitmq.list_queues_vhost /myvhost None messages consumers"],
      run: async (ctx, { vhost, runas }, rest) =>
        dataByKey(await printed(ctx, ['list_queues', '-q', '-p', vhost, ...rest], runas)),
    }),
    list_policies: defineFunction({
      doc: 'Lists the policies of a virtual host.',
      params: { vhost: param.text({ default: '/', doc: 'The virtual host.' }), ...RUNAS },
      returns: 'mapping of virtual host to name to pattern, apply_to, definition and priority',
      examples: ["salt '*' rabbitmq.list_policies"],
      run: (ctx, { vhost, runas }) => policies(ctx, vhost, runas),
    }),
    set_policy: defineFunction({
      doc: 'Sets a policy.',
      params: {
        ...VHOST,
        ...POLICY,
        pattern: param.text({ doc: 'The pattern of names that it is for.' }),
        definition: param.value({
          type: 'dict or str',
          doc: 'What it says: a mapping, or its text in JSON.',
        }),
        priority: param.valueIfGiven({ default: null, type: 'int', doc: 'Which of several counts.' }),
        ...RUNAS,
        apply_to: param.valueIfGiven({ default: null, type: 'str', doc: 'queues, exchanges or all.' }),
      },
      returns: 'mapping with Set',
      examples: [`salt '*' rabbitmq.set_policy / HA '.*' '{"ha-mode":"all"}'`],
      run: (ctx, args) => setPolicy(ctx, args),
    }),
    delete_policy: defineFunction({
      doc: 'Removes a policy.',
      params: { ...VHOST, ...POLICY, ...RUNAS },
      returns: 'mapping with Deleted',
      examples: ["salt '*' rabbitmq.delete_policy / HA"],
      run: (ctx, { vhost, name, runas }) =>
        reported(ctx, ['clear_policy', '-p', vhost, name], { runas, word: 'Deleted' }),
    }),
    policy_exists: defineFunction({
      doc: 'Returns whether a virtual host has a policy.',
      params: { ...VHOST, ...POLICY, ...RUNAS },
      returns: 'true or false',
      examples: ["salt '*' rabbitmq.policy_exists / HA"],
      run: async (ctx, { vhost, name, runas }) => {
        // Salt compat: Salt lists the policies of the virtual host `/` only, so that no other has any.
        const found = (await policies(ctx, vhost, runas)).get(vhost);
        return isDict(found) && found.has(name);
      },
    }),
    list_available_plugins: defineFunction({
      doc: 'Lists the plugins that there are.',
      params: RUNAS,
      returns: 'list of names',
      examples: ["salt '*' rabbitmq.list_available_plugins"],
      run: async (ctx, { runas }) => dataWords(await plugins(ctx, ['list', '-m'], runas)),
    }),
    list_enabled_plugins: defineFunction({
      doc: 'Lists the plugins that are enabled.',
      params: RUNAS,
      returns: 'list of names',
      examples: ["salt '*' rabbitmq.list_enabled_plugins"],
      run: async (ctx, { runas }) => dataWords(await plugins(ctx, ['list', '-m', '-e'], runas)),
    }),
    plugin_is_enabled: defineFunction({
      doc: 'Returns whether a plugin is enabled.',
      params: { ...PLUGIN, ...RUNAS },
      returns: 'true or false',
      examples: ["salt '*' rabbitmq.plugin_is_enabled rabbitmq_plugin_name"],
      run: async (ctx, { name, runas }) =>
        dataWords(await plugins(ctx, ['list', '-m', '-e'], runas)).includes(name),
    }),
    enable_plugin: defineFunction({
      doc: 'Enables a plugin.',
      params: { ...PLUGIN, ...RUNAS },
      returns: 'mapping with Enabled',
      examples: ["salt '*' rabbitmq.enable_plugin foo"],
      run: async (ctx, { name, runas }) => dict({ Enabled: await plugins(ctx, ['enable', name], runas) }),
    }),
    disable_plugin: defineFunction({
      doc: 'Disables a plugin.',
      params: { ...PLUGIN, ...RUNAS },
      returns: 'mapping with Disabled',
      examples: ["salt '*' rabbitmq.disable_plugin foo"],
      run: async (ctx, { name, runas }) => dict({ Disabled: await plugins(ctx, ['disable', name], runas) }),
    }),
    set_upstream: defineFunction({
      doc: 'Sets an upstream: another broker that exchanges or queues take messages from.',
      params: { ...UPSTREAM, ...UPSTREAM_PARAMS, ...RUNAS },
      returns: 'true',
      examples: [
        "salt '*' rabbitmq.set_upstream upstream_name ack_mode=on-confirm max_hops=1 trust_user_id=True uri=amqp://hostname",
      ],
      run: (ctx, { name, runas, ...settings }) => setUpstream(ctx, name, upstreamSettings(settings), runas),
    }),
    delete_upstream: defineFunction({
      doc: 'Removes an upstream.',
      params: { ...UPSTREAM, ...RUNAS },
      returns: 'true',
      examples: ["salt '*' rabbitmq.delete_upstream upstream_name"],
      run: async (ctx, { name, runas }) => {
        await printed(ctx, ['clear_parameter', 'federation-upstream', name], runas);
        return true;
      },
    }),
  },
});
