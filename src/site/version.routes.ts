import { anyone, switchedOn } from '../access/requirements.ts'
import { bytesOf, operation } from '../http/operation.ts'
import { bytes, ok, redirect } from '../http/reply.ts'
import { NotFound } from '../lib/errors.ts'
import { program } from '../lib/program.ts'
import { presentNodeInfo } from './node-info.present.ts'
import { readPublicSigningKey } from './signing-key.service.ts'
import { NodeInfo, NodeInfoLinks, ServerVersion, ServiceVersion } from './version.schemas.ts'

export const getVersion = operation({
  method: 'GET',
  path: '/version',
  cost: 'usual',
  scope: null,
  requires: [anyone],
  reply: { 200: ServerVersion },
  summary: 'Get the version of the server',
  run: async ({ ctx }) => ok({ version: ctx.config.ingot.apiVersion }),
})

export const serviceVersion = operation({
  method: 'GET',
  path: '/version',
  cost: 'usual',
  base: 'vendor',
  scope: null,
  requires: [anyone],
  reply: { 200: ServiceVersion },
  run: async ({ ctx }) =>
    ok({ version: ctx.config.ingot.apiVersion, software: { name: program.name, version: program.version } }),
})

export const serviceRoot = operation({
  method: 'GET',
  path: '/',
  cost: 'usual',
  base: 'vendor',
  scope: null,
  requires: [anyone],
  reply: { 200: 'empty' },
  run: async () => {},
})

const textType = 'text/plain;charset=utf-8'

export const getSigningKey = operation({
  method: 'GET',
  path: '/signing-key.gpg',
  cost: 'usual',
  scope: null,
  requires: [anyone],
  reply: { 200: bytesOf('text/plain') },
  summary: 'Get the OpenPGP key that signs commits of the instance',
  run: async ({ ctx }) => bytes(textType, (await readPublicSigningKey(ctx, 'openpgp')) ?? ''),
})

export const getSSHSigningKey = operation({
  method: 'GET',
  path: '/signing-key.ssh',
  cost: 'usual',
  scope: null,
  requires: [anyone],
  refuses: [404],
  reply: { 200: bytesOf('text/plain') },
  summary: 'Get the SSH key that signs commits of the instance',
  async run({ ctx }) {
    const key = await readPublicSigningKey(ctx, 'ssh')
    if (key === undefined) throw new NotFound('this instance does not sign with an SSH key', 'no_signing_key')
    return bytes(textType, key)
  },
})

export const swaggerRedirect = operation({
  method: 'GET',
  path: '/swagger',
  cost: 'usual',
  scope: null,
  requires: [anyone, switchedOn('swaggerEnabled', (config) => config.api.enableSwagger)],
  reply: { 303: 'empty' },
  summary: 'Redirect to the page of the API',
  run: async ({ ctx }) => redirect(303, `${ctx.config.server.rootUrl}api/swagger`),
})

const federated = switchedOn('federationEnabled', (config) => config.federation.enabled)

export const getNodeInfo = operation({
  method: 'GET',
  path: '/nodeinfo',
  cost: 'usual',
  scope: null,
  requires: [anyone, federated],
  reply: { 200: NodeInfo },
  summary: 'Get the node information of the instance',
  run: async ({ ctx }) => ok(await presentNodeInfo(ctx)),
})

export const wellKnownNodeInfo = operation({
  method: 'GET',
  path: '/.well-known/nodeinfo',
  cost: 'usual',
  base: 'site',
  scope: null,
  requires: [anyone, federated],
  reply: { 200: NodeInfoLinks },
  run: async ({ ctx }) =>
    ok({
      links: [
        {
          href: `${ctx.config.server.rootUrl}api/v1/nodeinfo`,
          rel: 'http://nodeinfo.diaspora.software/ns/schema/2.1',
        },
      ],
    }),
})
