/** Installs Debian packages that a script needs. */
import { spawnSync } from 'node:child_process'
import { fail } from './project.mjs'

/** Installs packages with apt-get, or ends the script with what is missing when it does not run as root. */
export function installPackages(...names) {
  const packages = names.join(' ')
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) {
    fail(`missing: ${packages} (Debian: apt-get install ${packages})`)
  }
  console.error(`installing ${packages} (apt-get)`)
  const apt = (...args) =>
    spawnSync('apt-get', ['-qq', '-y', ...args], {
      stdio: ['ignore', 2, 2],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0
  const install = () => apt('install', '--no-install-recommends', ...names)
  if (!install() && !(apt('update') && install())) fail(`apt-get could not install ${packages}`)
}
