/** nginx of Debian in front of several servers, in turn: no sticky sessions. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onInterrupt } from './cleanup.mjs'
import { installPackages } from './debian.mjs'
import { freePort } from './free-port.mjs'
import { fail } from './project.mjs'

const readyTimeoutMs = 10_000
const modulesFolder = '/usr/lib/nginx/modules'

/** The settings of docs/administration.md, "Several machines", and SSH. */
const settingsOf = ({ folder, web, ssh, webPort, sshPort }) => `
daemon off;
pid ${folder}/pid;
error_log ${folder}/log;
worker_processes 1;
load_module ${modulesFolder}/ngx_stream_module.so;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  upstream forge {
${web.map((port) => `    server 127.0.0.1:${port} max_fails=0;`).join('\n')}
  }
  server {
    listen 127.0.0.1:${webPort};
    client_max_body_size 0;
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_request_buffering off;
    proxy_buffering off;
    proxy_connect_timeout 2s;
    proxy_read_timeout 10m;
    location / {
      proxy_pass http://forge;
      proxy_next_upstream error timeout http_503;
    }
    location /assets/ {
      proxy_pass http://forge;
      proxy_next_upstream error timeout http_503 http_404;
    }
  }
}
stream {
  upstream forge {
${ssh.map((port) => `    server 127.0.0.1:${port} max_fails=1 fail_timeout=2s;`).join('\n')}
  }
  server {
    listen 127.0.0.1:${sshPort};
    proxy_connect_timeout 2s;
    proxy_pass forge;
  }
}
`

function programOf() {
  const isThere = () => spawnSync('nginx', ['-v']).status === 0 && existsSync(`${modulesFolder}/ngx_stream_module.so`)
  if (!isThere()) installPackages('nginx', 'libnginx-mod-stream')
  if (!isThere()) fail('nginx was installed, but its programs were not found')
  return 'nginx'
}

/** Returns two free ports, for the web and for SSH. */
export const nginxPorts = async () => ({ webPort: await freePort(), sshPort: await freePort() })

/**
 * Starts nginx in front of the ports of several servers.
 * @param options `web` and `ssh` are ports of the servers, `webPort` and `sshPort` those of nginx
 */
export async function startNginx(options) {
  const program = programOf()
  const folder = mkdtempSync(join(tmpdir(), 'ingot-nginx-'))
  const settings = join(folder, 'nginx.conf')
  writeFileSync(settings, settingsOf({ folder, ...options }))
  // Workers keep the user: those of root would become another user, who cannot read the folder.
  const user = process.getuid() === 0 ? ['-g', 'user root;'] : []
  const child = spawn(program, ['-p', folder, '-c', settings, '-e', join(folder, 'log'), ...user], { stdio: 'inherit' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const stop = onInterrupt(async () => {
    if (isRunning()) child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  for (const endMs = performance.now() + readyTimeoutMs; performance.now() < endMs && isRunning();) {
    const url = `http://127.0.0.1:${options.webPort}/`
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    ) {
      return { stop }
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const log = existsSync(join(folder, 'log')) ? readFileSync(join(folder, 'log'), 'utf8') : ''
  await stop()
  return fail(`nginx did not start:\n${log}`)
}
