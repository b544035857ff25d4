/** The options of remote repositories, with Salt's defaults (salt/config/__init__.py, 3006.16). */
import { option, type OptionTable } from './option.ts';
import { noEffect } from './unserved.ts';

const REFSPECS = ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'];

/** The git backend of the file server. */
export const gitfsOptions = {
  gitfs_remotes: option('list', [], 'repositories whose branches and tags are environments'),
  gitfs_base: option('any', 'master', 'branch or tag of the environment base'),
  gitfs_root: option('any', '', 'folder of the repositories that is served'),
  gitfs_mountpoint: option('any', '', 'path below which their files appear'),
  gitfs_fallback: option('any', '', 'branch or tag for environments that a repository does not have'),
  gitfs_saltenv: option('list', [], 'environments with a branch, root or mountpoint of their own'),
  gitfs_saltenv_whitelist: option('list', [], 'the only environments that are served'),
  gitfs_saltenv_blacklist: option('list', [], 'environments that are not served'),
  gitfs_disable_saltenv_mapping: option(
    'bool',
    false,
    'only branches that gitfs_saltenv names are environments',
  ),
  gitfs_ref_types: option('list', ['branch', 'tag', 'sha'], 'what may be an environment'),
  gitfs_refspecs: option('list', REFSPECS, 'what is fetched'),
  gitfs_update_interval: option('int', 60, 'seconds between fetches'),
  gitfs_user: option('any', '', 'user for https'),
  gitfs_password: option('any', '', 'password for https'),
  gitfs_insecure_auth: option('bool', false, 'allow a password over http'),
  gitfs_privkey: option('str', '', 'private key for ssh'),
  gitfs_pubkey: option('str', '', 'public key for ssh', noEffect('ssh finds it out of the private one')),
  gitfs_passphrase: option('str', '', 'passphrase of the private key'),
  gitfs_ssl_verify: option('bool', true, 'check certificates of https'),
  gitfs_proxy: option(
    'str',
    '',
    'HTTP proxy for http and https; without it that of the environment and of git',
  ),
  gitfs_global_lock: option(
    'bool',
    true,
    'one update at a time for all branches',
    noEffect('each repository has one copy and one lock'),
  ),
} satisfies OptionTable;

/** The hg backend of the file server. */
export const hgfsOptions = {
  hgfs_remotes: option(
    'list',
    [],
    'Mercurial repositories whose branches, bookmarks and tags are environments',
  ),
  hgfs_base: option('str', 'default', 'branch or bookmark of the environment base'),
  hgfs_branch_method: option('str', 'branches', 'what makes environments: branches, bookmarks or mixed'),
  hgfs_root: option('str', '', 'folder of the repositories that is served'),
  hgfs_mountpoint: option('str', '', 'path below which their files appear'),
  hgfs_saltenv_whitelist: option('list', [], 'the only environments that are served'),
  hgfs_saltenv_blacklist: option('list', [], 'environments that are not served'),
} satisfies OptionTable;

/** The svn backend of the file server. */
export const svnfsOptions = {
  svnfs_remotes: option(
    'list',
    [],
    'Subversion repositories whose trunk, branches and tags are environments',
  ),
  svnfs_trunk: option('str', 'trunk', 'folder of the environment base'),
  svnfs_branches: option('str', 'branches', 'folder whose folders are environments'),
  svnfs_tags: option('str', 'tags', 'folder whose folders are environments, too'),
  svnfs_root: option('str', '', 'folder of each environment that is served'),
  svnfs_mountpoint: option('str', '', 'path below which their files appear'),
  svnfs_saltenv_whitelist: option('list', [], 'the only environments that are served'),
  svnfs_saltenv_blacklist: option('list', [], 'environments that are not served'),
} satisfies OptionTable;

/** What minions without a master have, too. */
export const fetchIntervalOptions = {
  hgfs_update_interval: option('int', 60, 'seconds between fetches'),
  svnfs_update_interval: option('int', 60, 'seconds between fetches'),
  azurefs_update_interval: option('int', 60, 'seconds between fetches of containers'),
  s3fs_update_interval: option('int', 60, 'seconds between fetches of buckets'),
} satisfies OptionTable;

/** Pillar of repositories (`git` in `ext_pillar`). */
export const gitPillarOptions = {
  git_pillar_branch: option('any', 'master', 'branch or tag of remotes that name none'),
  git_pillar_base: option('any', 'master', 'branch or tag of the environment base, for __env__'),
  git_pillar_env: option('any', '', 'environment that the files belong to; without it that of the branch'),
  git_pillar_root: option('any', '', 'folder of the repositories that holds the pillar'),
  git_pillar_fallback: option('any', '', 'branch or tag where the wanted one does not exist'),
  git_pillar_includes: option('bool', true, 'SLS may include those of other remotes'),
  git_pillar_refspecs: option('list', REFSPECS, 'what is fetched'),
  git_pillar_update_interval: option('int', 60, 'seconds between fetches'),
  git_pillar_user: option('str', '', 'user for https'),
  git_pillar_password: option('str', '', 'password for https'),
  git_pillar_insecure_auth: option('bool', false, 'allow a password over http'),
  git_pillar_privkey: option('str', '', 'private key for ssh'),
  git_pillar_pubkey: option('str', '', 'public key for ssh', noEffect('ssh finds it out of the private one')),
  git_pillar_passphrase: option('str', '', 'passphrase of the private key'),
  git_pillar_ssl_verify: option('bool', true, 'check certificates of https'),
  git_pillar_proxy: option(
    'str',
    '',
    'HTTP proxy for http and https; without it that of the environment and of git',
  ),
  git_pillar_global_lock: option(
    'bool',
    true,
    'one update at a time for all branches',
    noEffect('each repository has one copy and one lock'),
  ),
} satisfies OptionTable;

/** Of a master alone. */
export const gitMasterOptions = {
  git_pillar_verify_config: option(
    'bool',
    true,
    'refuse to start when the remotes of pillar cannot be understood',
    noEffect('they always stop the master'),
  ),
} satisfies OptionTable;
