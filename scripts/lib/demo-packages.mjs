/** Packages of the demo repository in several registries. */
import { createHash } from 'node:crypto'

const base64 = (text) => Buffer.from(text).toString('base64')
const digestOf = (text) => `sha256:${createHash('sha256').update(text).digest('hex')}`

const npmReadme =
  '# anvil-client\n\nReads the reports of Anvil.\n\n```js\nimport { readReport } from "anvil-client"\n```\n'

/** The body of `npm publish`. */
const npmVersion = (version, tarball) => ({
  _id: 'anvil-client',
  name: 'anvil-client',
  description: 'Reads the reports of Anvil',
  'dist-tags': { latest: version },
  versions: {
    [version]: {
      name: 'anvil-client',
      version,
      description: 'Reads the reports of Anvil',
      keywords: ['logs', 'metrics'],
      license: 'MIT',
      readme: npmReadme,
      dependencies: { 'logfmt-lines': '^2.1.0' },
      dist: { shasum: createHash('sha1').update(tarball).digest('hex'), tarball: '' },
    },
  },
  _attachments: {
    [`anvil-client-${version}.tgz`]: {
      content_type: 'application/octet-stream',
      data: base64(tarball),
      length: tarball.length,
    },
  },
})

/** Publishes as alice and links the packages to the repository `anvil`. */
export async function makeDemoPackages(url, ask, authorization) {
  const send = async (method, path, body, type = 'application/octet-stream') => {
    const request = { method, body, headers: { authorization, 'content-type': type } }
    const reply = await fetch(url + path, request)
    if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${await reply.text()}`)
  }
  for (const version of ['1.3.0', '1.4.0']) {
    for (const platform of ['linux-x64', 'linux-arm64']) {
      await send(
        'PUT',
        `/api/packages/alice/generic/anvil/${version}/anvil-${platform}`,
        `anvil ${version} ${platform}\n`,
      )
    }
  }
  for (const version of ['0.3.1', '0.4.0']) {
    const body = JSON.stringify(npmVersion(version, `anvil-client ${version}`))
    await send('PUT', '/api/packages/alice/npm/anvil-client', body, 'application/json')
  }
  const config = JSON.stringify({
    architecture: 'amd64',
    os: 'linux',
    config: { Cmd: ['anvil'], Labels: { 'org.opencontainers.image.description': 'Anvil in a small image' } },
    history: [{ created_by: 'COPY anvil /usr/bin/anvil' }, { created_by: 'CMD ["anvil"]', empty_layer: true }],
    rootfs: { type: 'layers', diff_ids: [] },
  })
  const layer = 'anvil 1.4.0 in a layer'
  for (const blob of [config, layer]) {
    await send('POST', `/v2/alice/anvil/blobs/uploads/?digest=${digestOf(blob)}`, blob)
  }
  const manifestType = 'application/vnd.oci.image.manifest.v1+json'
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: manifestType,
    config: {
      mediaType: 'application/vnd.oci.image.config.v1+json',
      digest: digestOf(config),
      size: config.length,
    },
    layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', digest: digestOf(layer), size: layer.length }],
  })
  for (const tag of ['1.4.0', 'latest']) await send('PUT', `/v2/alice/anvil/manifests/${tag}`, manifest, manifestType)
  for (const [type, name] of [
    ['generic', 'anvil'],
    ['npm', 'anvil-client'],
    ['container', 'anvil'],
  ]) {
    await ask('alice', 'POST', `/packages/alice/${type}/${name}/-/link/anvil`)
  }
}
