import { anyone } from '../../access/requirements.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'

/** Addresses whose pages cost much or say nothing to a search engine. */
const closed = [
  '/api/',
  '/-/',
  '/user/',
  '/admin',
  '/search',
  '/explore/*?',
  '/notifications',
  '/*/*/blame/',
  '/*/*/raw/',
  '/*/*/archive/',
  '/*/*/compare/',
  '/*/*/commits/',
  '/*/*/src/commit/',
  '/*/*/issues?',
  '/*/*/pulls?',
]

/** Tells crawlers what to leave alone. */
export const robots = operation({
  method: 'GET',
  base: 'site',
  path: '/robots.txt',
  cost: 'usual',
  scope: null,
  accepts: [],
  requires: [anyone],
  reply: { 200: bytesOf('text/plain') },
  async run({ ctx }) {
    const { service, server } = ctx.config
    const paths = service.requireSigninView ? ['/'] : closed
    const rules = paths.map((path) => `Disallow: ${server.subPath}${path}`)
    return bytes('text/plain; charset=utf-8', `User-agent: *\n${rules.join('\n')}\n`)
  },
})
