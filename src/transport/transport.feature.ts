import type { Feature } from '../access/feature.ts'
import * as gitHttpRoutes from './http/git-http.routes.ts'
import * as goGetRoutes from './http/go-get.routes.ts'
import { hostKeyPurpose } from './ssh/ssh-host-keys.ts'

/** Git over HTTP and SSH. */
export const transport: Feature = {
  routes: [gitHttpRoutes, goGetRoutes],
  sealed: [{ table: 'ssh_host_key', column: 'sealed', purpose: hostKeyPurpose }],
  async door(services) {
    const { startSshServer, disableSsh } = services.config.server
    if (!startSshServer || disableSsh) return undefined
    // Loaded on demand, to save start time and memory.
    const ssh = await import('./ssh/ssh-server.ts')
    return ssh.startSshServer(services)
  },
}
