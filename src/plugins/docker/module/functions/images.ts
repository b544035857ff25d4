/** `docker`: images. */
import { SaltInvocationError } from '../../../../errors/errors.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import { isDict, truthy, type Value } from '../../../../python/values/value.ts';
import { defineFunction } from '../../../../runtime/loader/module.ts';
import { param } from '../../../../runtime/loader/params.ts';
import { buildImage, loadImage } from '../build.ts';
import {
  dependsOn,
  images,
  inspectImage,
  listTags,
  pull,
  push,
  removeImages,
  resolveImageId,
  resolveTag,
  tagImage,
} from '../images.ts';
import { CLIENT_TIMEOUT, INSECURE_REGISTRY, warnWithoutEffect } from '../choice-params.ts';

const IMAGE = { name: param.text({ doc: 'The image: its name, name and tag, or id.' }) } as const;
const TAGGED = {
  repository: param.textIfGiven({ default: null, doc: 'The name that the image gets; with `tag` only.' }),
  tag: param.textIfGiven({ default: null, doc: 'Its tag.' }),
} as const;

/** @throws SaltInvocationError where only one of the two is there */
function fullName(repository: string | undefined, tag: string | undefined): string | undefined {
  if (repository === undefined && tag === undefined) return undefined;
  if (repository === undefined || tag === undefined)
    throw new SaltInvocationError('If tagging, both a repository and tag are required');
  return `${repository}:${tag}`;
}

/** Functions about images. */
export const imageFunctions = {
  inspect_image: defineFunction({
    doc: 'Returns what an image is.',
    params: IMAGE,
    returns: 'what the daemon knows, with readable sizes',
    examples: ["salt '*' docker.inspect_image busybox"],
    run: (ctx, { name }) => inspectImage(ctx, name),
  }),
  images: defineFunction({
    doc: 'Lists the images that have a tag.',
    params: { verbose: param.flag({ default: false, doc: 'Tell more about each.' }) },
    kwargs: 'kwargs',
    returns: 'mapping of id to facts; `all` lists those without a tag, too',
    examples: ["salt '*' docker.images", "salt '*' docker.images all=True"],
    run: async (ctx, { verbose }, _rest, kwargs) => {
      const found = await images(ctx, truthy(kwargs.get('all') ?? null));
      if (verbose)
        for (const [id, facts] of found)
          if (isDict(facts)) facts.set('Info', await inspectImage(ctx, pyStr(id)));
      return found;
    },
  }),
  list_tags: defineFunction({
    doc: 'Lists the tags of all images.',
    returns: 'list of names with tags',
    examples: ["salt '*' docker.list_tags"],
    run: (ctx) => listTags(ctx),
  }),
  resolve_image_id: defineFunction({
    doc: 'Returns the id of an image.',
    params: IMAGE,
    returns: 'the id; false where there is no such image',
    examples: ["salt '*' docker.resolve_image_id foo:bar"],
    run: (ctx, { name }) => resolveImageId(ctx, name),
  }),
  resolve_tag: defineFunction({
    doc: 'Returns the first tag of an image.',
    params: { ...IMAGE, all: param.flag({ default: false, doc: 'All its tags.' }) },
    returns: 'a tag or a list of them; the id where it has none, false where there is no such image',
    examples: ["salt '*' docker.resolve_tag busybox"],
    run: (ctx, { name, all }) => resolveTag(ctx, name, all),
  }),
  depends: defineFunction({
    doc: 'Returns what uses an image.',
    params: IMAGE,
    returns: 'mapping with Containers and Images',
    examples: ["salt '*' docker.depends myimage"],
    run: (ctx, { name }) => dependsOn(ctx, name),
  }),
  pull: defineFunction({
    doc: 'Fetches an image from its registry.',
    params: {
      image: param.text({ doc: 'The image; its tag is `latest` without one.' }),
      ...INSECURE_REGISTRY,
      api_response: param.flag({ default: false, doc: 'Return all messages of the daemon.' }),
      ...CLIENT_TIMEOUT,
    },
    returns: 'mapping with Layers, Status, Time_Elapsed and retcode; Errors where there were some',
    examples: ["salt '*' docker.pull centos:6"],
    run: (ctx, { image, api_response, ...rest }) => {
      warnWithoutEffect(ctx, rest);
      return pull(ctx, image, { withEvents: api_response });
    },
  }),
  push: defineFunction({
    doc: 'Sends an image to its registry.',
    params: {
      image: param.text({ doc: 'The image; all its tags without one.' }),
      ...INSECURE_REGISTRY,
      api_response: param.flag({ default: false, doc: 'Return all messages of the daemon.' }),
      ...CLIENT_TIMEOUT,
    },
    returns: 'mapping with Layers, Time_Elapsed and retcode; Errors where there were some',
    examples: ["salt '*' docker.push registry.example.com/mine:v1"],
    run: (ctx, { image, api_response, ...rest }) => {
      warnWithoutEffect(ctx, rest);
      return push(ctx, image, { withEvents: api_response });
    },
  }),
  rmi: defineFunction({
    doc: 'Removes images.',
    varargs: 'names',
    params: {
      force: param.flag({ default: false, keywordOnly: true, doc: 'Also those that containers use.' }),
      prune: param.flag({ default: true, keywordOnly: true, doc: 'Also the layers below that nobody uses.' }),
    },
    returns: 'mapping with Layers, Tags and retcode; Errors where there were some',
    examples: ["salt '*' docker.rmi busybox force=True"],
    run: (ctx, { force, prune }, names: readonly Value[]) =>
      removeImages(ctx, names.map(pyStr), { force, prune }),
  }),
  tag: defineFunction({
    doc: 'Gives an image a further name.',
    params: {
      ...IMAGE,
      repository: param.text({ doc: 'The name.' }),
      tag: param.text({ default: 'latest', doc: 'The tag.' }),
      force: param.flag({ default: false, doc: 'Take the name away from another image.' }),
    },
    returns: 'true',
    examples: ["salt '*' docker.tag 0123456789ab myrepo/mycontainer mytag"],
    run: (ctx, { name, ...as }) => tagImage(ctx, name, as),
  }),
  build: defineFunction({
    doc: 'Builds an image of a folder with a Dockerfile.',
    params: {
      path: param.textIfGiven({ default: null, doc: 'The folder.' }),
      ...TAGGED,
      cache: param.flag({ default: true, doc: 'Take layers of earlier builds.' }),
      rm: param.flag({ default: true, doc: 'Remove the containers that were needed for it.' }),
      api_response: param.flag({ default: false, doc: 'Return all messages of the daemon.' }),
      fileobj: param.textIfGiven({ default: null, doc: 'Not served.' }),
      dockerfile: param.textIfGiven({ default: null, doc: 'The Dockerfile within the folder.' }),
      buildargs: param.mapping({ default: null, doc: 'Arguments of the Dockerfile.' }),
    },
    returns: 'mapping with Id, Image and Time_Elapsed',
    examples: ["salt '*' docker.build /path/to/docker/build/dir myrepo/myimage latest"],
    run: (ctx, { path, fileobj, repository, tag, ...how }) => {
      if (path === undefined || fileobj !== undefined)
        throw new SaltInvocationError('docker.build needs the path of a folder; fileobj is not served.');
      return buildImage(ctx, { ...how, path, name: fullName(repository, tag) });
    },
  }),
  load: defineFunction({
    doc: 'Loads images of an archive that `docker save` has written.',
    params: { path: param.text({ doc: 'The archive: a path, or salt://…' }), ...TAGGED },
    returns: 'mapping with Path, Layers, Image and Time_Elapsed',
    examples: ["salt '*' docker.load /path/to/tar/archive.tar myuser/myimage mytag"],
    run: (ctx, { path, repository, tag }) => {
      fullName(repository, tag);
      return loadImage(
        ctx,
        path,
        repository === undefined || tag === undefined ? undefined : { repository, tag },
      );
    },
  }),
};
