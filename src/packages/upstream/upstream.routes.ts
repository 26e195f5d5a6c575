import { Type, type Static } from 'typebox'
import { signedIn } from '../../access/requirements.ts'
import type { PackageUpstreamRow } from '../../db/tables/packages.ts'
import { operation } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { targetUser } from '../../users/subject.requirements.ts'
import { packagesReadable, upstreamsChangeable } from '../package.requirements.ts'
import { PackageUpstream, SetPackageUpstreamOption } from './upstream.schemas.ts'
import { upstreamTypeOf } from './upstream.rules.ts'
import { getUpstreams, releaseName, removeUpstream, setUpstream } from './upstream.service.ts'

const changing = [targetUser, packagesReadable, signedIn, upstreamsChangeable] as const

const presentUpstream = (row: PackageUpstreamRow): Static<typeof PackageUpstream> => ({
  type: row.type,
  url: row.url,
  username: row.user_name,
  has_secret: row.sealed_secret !== null,
  reserved: JSON.parse(row.reserved) as string[],
})

export const listPackageUpstreams = operation({
  method: 'GET',
  path: '/packages/{username}/-/upstreams',
  cost: 'usual',
  scope: 'package',
  requires: changing,
  reply: { 200: Type.Array(PackageUpstream) },
  summary: 'List the upstreams of the registries of an owner',
  run: async ({ ctx }) => ok((await getUpstreams(ctx)).map(presentUpstream)),
})

export const setPackageUpstream = operation({
  method: 'PUT',
  path: '/packages/{username}/-/upstreams/{type}',
  cost: 'usual',
  scope: 'package',
  requires: changing,
  body: SetPackageUpstreamOption,
  reply: { 200: PackageUpstream },
  summary: 'Set the upstream of a registry of an owner',
  async run({ ctx, params, body: { url, username, secret, reserved } }) {
    return ok(
      presentUpstream(
        await setUpstream(ctx, upstreamTypeOf(params.type), { url, userName: username, secret, reserved }),
      ),
    )
  },
})

export const deletePackageUpstream = operation({
  method: 'DELETE',
  path: '/packages/{username}/-/upstreams/{type}',
  cost: 'usual',
  scope: 'package',
  requires: changing,
  reply: { 204: 'empty' },
  summary: 'Remove the upstream of a registry of an owner and the files from it',
  run: ({ ctx, params }) => removeUpstream(ctx, params.type),
})

export const releasePackageName = operation({
  method: 'DELETE',
  path: '/packages/{username}/-/upstreams/{type}/names/{name+}',
  cost: 'usual',
  scope: 'package',
  requires: changing,
  reply: { 204: 'empty' },
  summary: 'Give up a name that the owner has published and deleted, so that the upstream serves it',
  run: ({ ctx, params }) => releaseName(ctx, upstreamTypeOf(params.type), params.name),
})
