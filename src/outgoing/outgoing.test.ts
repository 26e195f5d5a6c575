import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createHostRules, hostNameMatcher, migrationHostRules } from './host-rules.ts'
import { OutgoingError, type OutgoingReason } from './outgoing-error.ts'
import { createOutgoing, type Outgoing, type OutgoingOptions } from './outgoing.ts'
import { basicAuthorization } from '../testing/samples.ts'

const loopback = createHostRules({ allowed: ['loopback'] })

interface Surroundings {
  readonly outgoing: Outgoing
  /** Beginning of the server's URLs, without a slash at the end. */
  readonly base: string
  readonly port: number
  /** Requests that reached the server. */
  readonly seen: {
    readonly method: string
    readonly url: string
    readonly headers: IncomingMessage['headers']
    body: string
  }[]
}

async function withServer(
  answer: (request: IncomingMessage, response: ServerResponse, base: string) => void,
  options: Partial<OutgoingOptions>,
  use: (surroundings: Surroundings) => Promise<void>,
): Promise<void> {
  const seen: Surroundings['seen'] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body })
      answer(request, response, base)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const base = `http://127.0.0.1:${port}`
  const outgoing = createOutgoing({
    rules: loopback,
    timeoutMs: 5000,
    maxBodyBytes: 1000,
    maxConnections: 4,
    ...options,
  })
  try {
    await use({ outgoing, base, port, seen })
  } finally {
    await outgoing.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

const fails = (work: Promise<unknown>, reason: OutgoingReason): Promise<void> =>
  assert.rejects(work, (error) => {
    assert.ok(error instanceof OutgoingError, String(error))
    assert.equal(error.reason, reason, error.message)
    return true
  })

test('rules: classes, networks, addresses and names', () => {
  const table: [string[], string, string, boolean][] = [
    [['external'], 'example.com', '93.184.216.34', true],
    [['external'], 'example.com', '2606:2800:220:1::1', true],
    [[], 'example.com', '93.184.216.34', true],
    [[], 'example.com', '10.0.0.1', false],
    [['external'], 'x', '127.0.0.1', false],
    [['external'], 'x', '10.1.2.3', false],
    [['external'], 'x', '172.31.0.1', false],
    [['external'], 'x', '192.168.1.1', false],
    [['external'], 'x', '169.254.169.254', false],
    [['external'], 'x', '100.64.0.1', false],
    [['external'], 'x', '0.0.0.0', false],
    [['external'], 'x', '224.0.0.1', false],
    [['external'], 'x', '255.255.255.255', false],
    [['external'], 'x', '::', false],
    [['external'], 'x', '::1', false],
    [['external'], 'x', 'fe80::1', false],
    [['external'], 'x', 'fe80::1%eth0', false],
    [['external'], 'x', 'fd00::1', false],
    [['external'], 'x', '::ffff:127.0.0.1', false],
    [['external'], 'x', '::ffff:10.0.0.1', false],
    [['external'], 'x', '::ffff:93.184.216.34', true],
    [['external'], 'x', '64:ff9b::7f00:1', false],
    [['external'], 'x', '64:ff9b::5db8:d822', true],
    [['external'], 'x', '2002:7f00:1::', false],
    [['external'], 'x', '2001:0:1::', false],
    [['private'], 'x', '10.0.0.1', true],
    [['private'], 'x', 'fd00::1', true],
    [['private'], 'x', '127.0.0.1', false],
    [['private'], 'x', '93.184.216.34', false],
    [['loopback'], 'x', '127.9.9.9', true],
    [['loopback'], 'x', '::1', true],
    [['loopback'], 'x', '::ffff:127.0.0.1', true],
    [['*'], 'x', '169.254.169.254', true],
    [['10.2.0.0/16'], 'x', '10.2.3.4', true],
    [['10.2.0.0/16'], 'x', '10.3.3.4', false],
    [['10.2.0.0/16'], 'x', '::ffff:10.2.3.4', true],
    [['fd12::/16'], 'x', 'fd12::7', true],
    [['192.0.2.7'], 'x', '192.0.2.7', true],
    [['192.0.2.7'], 'x', '192.0.2.8', false],
    [['::1'], 'x', '::1', true],
    [['*.internal.example'], 'ci.internal.example', '10.0.0.1', true],
    [['*.internal.example'], 'CI.Internal.Example.', '10.0.0.1', true],
    [['*.internal.example'], 'internal.example', '10.0.0.1', false],
    [['*.internal.example'], 'ci.internal.example.evil.com', '10.0.0.1', false],
    [['git?.example'], 'git1.example', '10.0.0.1', true],
    [['a.example'], 'axexample', '10.0.0.1', false],
    [['external'], 'x', 'no address', false],
  ]
  for (const [allowed, host, address, expected] of table) {
    assert.equal(createHostRules({ allowed }).allows(host, address), expected, `${allowed.join()} ${host} ${address}`)
  }
  const blocked = createHostRules({ allowed: ['*'], blocked: ['evil.example', '10.0.0.0/8'] })
  assert.deepEqual(
    [blocked.allows('evil.example', '1.2.3.4'), blocked.allows('x', '10.0.0.1'), blocked.allows('x', '1.2.3.4')],
    [false, false, true],
  )
  const migrations = (allowedDomains: string[], allowLocalnetworks: boolean) =>
    migrationHostRules({ allowedDomains, blockedDomains: ['bad.example'], allowLocalnetworks })
  assert.equal(migrations([], false).allows('x', '127.0.0.1'), false)
  assert.equal(migrations([], true).allows('x', '127.0.0.1'), true)
  assert.equal(migrations(['good.example'], false).allows('other.example', '1.2.3.4'), false)
  assert.equal(migrations([], true).allows('bad.example', '1.2.3.4'), false)
})

test('every way to write a loopback address is refused before a connection is made', () =>
  withServer(
    (_, response) => response.end('reached'),
    { rules: createHostRules({ allowed: ['external'] }) },
    async ({ outgoing, port, seen }) => {
      const hosts = [
        '127.0.0.1',
        'localhost',
        'LOCALHOST',
        '127.1',
        '2130706433',
        '0177.0.0.1',
        '0x7f.0.0.1',
        '0x7f000001',
        '0',
        '0.0.0.0',
        '[::1]',
        '[::]',
        '[::ffff:127.0.0.1]',
        '[::ffff:7f00:1]',
        '[64:ff9b::127.0.0.1]',
        '１２７.0.0.1',
        '169.254.169.254',
      ]
      for (const host of hosts) await fails(outgoing.request(`http://${host}:${port}/`), 'refused_address')
      for (const host of hosts) await fails(outgoing.resolve(`http://${host}:${port}/`), 'refused_address')
      assert.deepEqual(seen, [])
    },
  ))

test('a name is resolved once per connection: what was checked is what is connected to', async () => {
  const requests: string[] = []
  let answers = ['93.184.216.34']
  await withServer(
    (_, response) => response.end('reached'),
    {
      rules: createHostRules({ allowed: ['external'] }),
      resolve: (host) => {
        requests.push(host)
        const found = answers.map((address) => ({ address, family: 4 }))
        answers = ['127.0.0.1']
        return Promise.resolve(found)
      },
    },
    async ({ outgoing, port, seen }) => {
      assert.deepEqual(await outgoing.resolve(`http://rebinding.example:${port}/`), {
        host: 'rebinding.example',
        port,
        addresses: ['93.184.216.34'],
      })
      await fails(outgoing.request(`http://rebinding.example:${port}/`), 'refused_address')
      assert.deepEqual([requests, seen], [['rebinding.example', 'rebinding.example'], []])
    },
  )
  await withServer(
    (_, response) => response.end('reached'),
    {
      resolve: () =>
        Promise.resolve([
          { address: '10.255.255.1', family: 4 },
          { address: '127.0.0.1', family: 4 },
        ]),
    },
    async ({ outgoing, port, seen }) => {
      const reply = await outgoing.request(`http://mixed.example:${port}/x`)
      assert.deepEqual([reply.status, reply.body.toString()], [200, 'reached'])
      assert.equal(seen[0]?.headers.host, `mixed.example:${port}`)
    },
  )
})

test('a request: method, headers, body and user go out; status, headers and body come back', () =>
  withServer(
    (_, response) => response.writeHead(201, { 'X-Reply': 'yes' }).end('made'),
    { userAgent: 'Ingot' },
    async ({ outgoing, base, seen }) => {
      const url = `${base.replace('//', '//user%40x:pass@')}/path?q=1#fragment`
      const reply = await outgoing.request(url, {
        method: 'POST',
        headers: { 'Content-Type': 'text/plain' },
        body: 'hello',
      })
      assert.deepEqual(
        [reply.status, reply.headers['x-reply'], reply.body.toString(), reply.isCut],
        [201, 'yes', 'made', false],
      )
      assert.equal(reply.url, `${base}/path?q=1`)
      const [request] = seen
      assert.deepEqual([request?.method, request?.url, request?.body], ['POST', '/path?q=1', 'hello'])
      assert.equal(request?.headers.authorization, basicAuthorization('user@x', 'pass'))
      assert.equal(request?.headers['user-agent'], 'Ingot')
      const streamed = await outgoing.stream(base, {
        method: 'PUT',
        body: Readable.from([Buffer.from('a'), Buffer.from('b')]),
      })
      assert.equal((await buffer(streamed.body)).toString(), 'made')
      assert.equal(seen[1]?.body, 'ab')
    },
  ))

test('URLs that are none of ours', () =>
  withServer(
    (_, response) => response.end(),
    {},
    async ({ outgoing }) => {
      for (const url of [
        '',
        'nonsense',
        'file:///etc/passwd',
        'ftp://127.0.0.1/',
        'gopher://x',
        'http://',
        'http://%zz@127.0.0.1/',
      ]) {
        await fails(outgoing.request(url), 'bad_url')
      }
      await fails(outgoing.request('http://127.0.0.1:1/'), 'network')
    },
  ))

test('redirects: followed when asked for, checked each time, credentials kept at home', () =>
  withServer(
    (request, response, base) => {
      const { pathname } = new URL(request.url ?? '/', base)
      const targets: Record<string, [number, string]> = {
        '/inside': [302, '/end'],
        '/other': [307, `${base.replace('127.0.0.1', 'localhost')}/end`],
        '/private': [302, 'http://10.0.0.1/secret'],
        '/metadata': [301, 'http://169.254.169.254/latest'],
        '/file': [302, 'file:///etc/passwd'],
        '/see': [303, '/end'],
        '/again': [308, '/end'],
        '/loop': [302, '/loop'],
      }
      const target = targets[pathname]
      if (target === undefined) response.end('end')
      else response.writeHead(target[0], { location: target[1] }).end('x'.repeat(100))
    },
    {},
    async ({ outgoing, base, seen }) => {
      const headers = { Authorization: 'Bearer x', Cookie: 'a=b', 'Content-Type': 'text/plain' }
      const last = () => seen.at(-1)
      assert.equal((await outgoing.request(`${base}/inside`)).status, 302)
      assert.equal((await outgoing.request(`${base}/inside`, { headers, maxRedirects: 3 })).body.toString(), 'end')
      assert.equal(last()?.headers.authorization, 'Bearer x')
      const other = await outgoing.request(`${base}/other`, { method: 'POST', body: 'b', headers, maxRedirects: 3 })
      assert.match(other.url, /^http:\/\/localhost:\d+\/end$/)
      assert.deepEqual(
        [last()?.method, last()?.body, last()?.headers.authorization, last()?.headers.cookie],
        ['POST', 'b', undefined, undefined],
      )
      await outgoing.request(`${base}/see`, { method: 'POST', body: 'b', headers, maxRedirects: 3 })
      assert.deepEqual([last()?.method, last()?.body, last()?.headers['content-type']], ['GET', '', undefined])
      await outgoing.request(`${base}/again`, { method: 'POST', body: 'b', maxRedirects: 3 })
      assert.deepEqual([last()?.method, last()?.body], ['POST', 'b'])
      await fails(
        outgoing.request(`${base}/again`, { method: 'POST', body: Readable.from(['b']), maxRedirects: 3 }),
        'network',
      )
      await fails(outgoing.request(`${base}/private`, { maxRedirects: 3 }), 'refused_address')
      await fails(outgoing.request(`${base}/metadata`, { maxRedirects: 3 }), 'refused_address')
      await fails(outgoing.request(`${base}/file`, { maxRedirects: 3 }), 'bad_url')
      await fails(outgoing.request(`${base}/loop`, { maxRedirects: 3 }), 'too_many_redirects')
    },
  ))

test('limits: size, time, given up by the caller', () =>
  withServer(
    (request, response) => {
      if (request.url === '/large') response.end('x'.repeat(5000))
      else if (request.url === '/endless') {
        const timer = setInterval(() => response.write('x'.repeat(400)), 5)
        response.once('close', () => clearInterval(timer))
      } else if (request.url === '/slow-body') {
        response.write('begin')
      } else if (request.url !== '/silent') response.end('ok')
    },
    {},
    async ({ outgoing, base }) => {
      await fails(outgoing.request(`${base}/large`), 'too_large')
      await fails(outgoing.request(`${base}/endless`), 'too_large')
      const cut = await outgoing.request(`${base}/endless`, { whenTooLarge: 'cut', maxBodyBytes: 700 })
      assert.deepEqual([cut.body.length, cut.isCut], [700, true])
      assert.equal((await outgoing.request(`${base}/large`, { maxBodyBytes: 5000 })).body.length, 5000)
      await fails(outgoing.request(`${base}/silent`, { timeoutMs: 50 }), 'timeout')
      await fails(outgoing.request(`${base}/slow-body`, { timeoutMs: 50 }), 'timeout')
      await fails(outgoing.request(`${base}/silent`, { signal: AbortSignal.timeout(20) }), 'aborted')
      const large = await outgoing.stream(`${base}/endless`)
      await fails(buffer(large.body), 'too_large')
      const slow = await outgoing.stream(`${base}/slow-body`, { timeoutMs: 60 })
      await fails(buffer(slow.body), 'timeout')
      const unread = await outgoing.stream(`${base}/endless`, { maxBodyBytes: 1e9 })
      unread.body.destroy()
      assert.equal((await outgoing.request(`${base}/ok`)).body.toString(), 'ok')
    },
  ))

test('a few requests at once, some waiting, the rest refused; a waiting one keeps its deadline', () =>
  withServer(
    (request, response) => {
      if (request.url !== '/silent') setTimeout(() => response.end('ok'), 20)
    },
    { maxConnections: 2 },
    async ({ outgoing, base }) => {
      const results = await Promise.allSettled(Array.from({ length: 30 }, () => outgoing.request(`${base}/ok`)))
      const refused = results.filter((result) => result.status === 'rejected').map((result) => result.reason)
      assert.equal(refused.length, 30 - 2 - 20)
      assert.ok(refused.every((error) => error instanceof OutgoingError && error.reason === 'busy'))
      const silent = [1, 2].map(() => outgoing.request(`${base}/silent`, { timeoutMs: 200 }))
      await fails(outgoing.request(`${base}/ok`, { timeoutMs: 50 }), 'timeout')
      for (const work of silent) await fails(work, 'timeout')
      assert.equal((await outgoing.request(`${base}/ok`)).status, 200)
    },
  ))

test('a proxy is used only when it was configured, and the rules hold there too', async () => {
  process.env['http_proxy'] = 'http://127.0.0.1:1'
  try {
    await withServer(
      (_, response) => response.end('direct'),
      {},
      async ({ outgoing, base }) => {
        assert.equal((await outgoing.request(base)).body.toString(), 'direct')
      },
    )
  } finally {
    delete process.env['http_proxy']
  }
  const proxy = createServer()
  const tunnels: string[] = []
  proxy.on('connect', (request, socket) => {
    tunnels.push(request.url ?? '')
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  try {
    await withServer(
      (_, response) => response.end('direct'),
      {
        proxy: { url, usesFor: hostNameMatcher(['local*']) },
      },
      async ({ outgoing, base, port }) => {
        assert.equal((await outgoing.request(base)).body.toString(), 'direct')
        await fails(outgoing.request(`http://localhost:${port}/`), 'network')
        assert.deepEqual(tunnels, [`localhost:${port}`])
        await fails(outgoing.request('http://10.0.0.1/'), 'refused_address')
        assert.equal(tunnels.length, 1)
      },
    )
  } finally {
    proxy.close()
  }
})
