/**
 * Git's own server over HTTP (`git http-backend`) with nothing around it: what a client and git take by themselves, to
 * measure a forge by.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'

/** Serves the repositories below a folder to everybody on loopback. Gives the address and `close()`. */
export async function serveBareGit(folder) {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost')
    const { headers } = request
    const backend = spawn('git', ['-c', 'http.receivepack=true', 'http-backend'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        REQUEST_METHOD: request.method,
        PATH_INFO: pathname,
        QUERY_STRING: searchParams.toString(),
        CONTENT_TYPE: headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
        ...(headers['git-protocol'] === undefined ? {} : { GIT_PROTOCOL: headers['git-protocol'] }),
        ...(headers['content-length'] === undefined ? {} : { CONTENT_LENGTH: headers['content-length'] }),
      },
    })
    request.pipe(backend.stdin).on('error', () => undefined)
    answer(backend.stdout, response).catch((error) => response.destroy(error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Passes on what a CGI program says: headers, an empty line, the body. */
async function answer(output, response) {
  let head = Buffer.alloc(0)
  let isBody = false
  for await (const chunk of output) {
    if (isBody) {
      if (!response.write(chunk)) await once(response, 'drain')
      continue
    }
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end === -1) continue
    isBody = true
    for (const line of head.toString('latin1', 0, end).split('\r\n')) {
      const [name, value] = line.split(/: (.*)/s)
      if (name === 'Status') response.statusCode = Number.parseInt(value, 10)
      else response.setHeader(name, value)
    }
    response.write(head.subarray(end + 4))
  }
  response.end()
}
