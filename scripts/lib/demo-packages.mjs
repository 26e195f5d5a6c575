/** Packages of the demo repository in several registries. */
import { createHash } from 'node:crypto'

const base64 = (text) => Buffer.from(text).toString('base64')
const digestOf = (text) => `sha256:${createHash('sha256').update(text).digest('hex')}`

const npmReadme = `# anvil-client

Reads the reports of [Anvil](https://example.com).

\`\`\`js
import { readReport } from 'anvil-client'

for await (const group of readReport('report.json')) console.log(group.name, group.count)
\`\`\`

## Options

| option | meaning |
| --- | --- |
| \`top\` | groups to read |
| \`since\` | the first report |
`

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
      author: { name: 'Alice Novak' },
      engines: { node: '>=22' },
      homepage: 'https://example.com/anvil',
      repository: { type: 'git', url: 'git+https://example.com/anvil.git' },
      readme: npmReadme,
      dependencies: { 'logfmt-lines': '^2.1.0', 'p-limit': '~6.1.0' },
      peerDependencies: { typescript: '>=5' },
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

/** The body of `cargo publish`: the description and the archive, each after its length. */
function crateBody() {
  const about = Buffer.from(
    JSON.stringify({
      name: 'anvil-lines',
      vers: '0.2.0',
      description: 'Reads the lines of structured logs',
      homepage: 'https://example.com/anvil',
      repository: 'https://example.com/anvil.git',
      license: 'MIT OR Apache-2.0',
      keywords: ['logs', 'parser'],
      rust_version: '1.80',
      features: {},
      deps: [
        { name: 'memchr', version_req: '^2.7', kind: 'normal', features: [], optional: false, default_features: true },
        { name: 'proptest', version_req: '^1.5', kind: 'dev', features: [], optional: false, default_features: true },
      ],
    }),
  )
  const archive = Buffer.from('anvil-lines 0.2.0')
  const length = (of) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(of.length)
    return bytes
  }
  return Buffer.concat([length(about), about, length(archive), archive])
}

const manifestType = 'application/vnd.oci.image.manifest.v1+json'
const indexType = 'application/vnd.oci.image.index.v1+json'

/** Pushes an image of two versions for two platforms. */
async function makeImage(send) {
  const push = async (content, mediaType) => {
    await send('POST', `/v2/alice/anvil/blobs/uploads/?digest=${digestOf(content)}`, content)
    return { mediaType, digest: digestOf(content), size: content.length }
  }
  const describe = async (manifest, reference = digestOf(manifest), type = manifestType) => {
    await send('PUT', `/v2/alice/anvil/manifests/${reference}`, manifest, type)
    return { mediaType: type, digest: digestOf(manifest), size: manifest.length }
  }
  for (const [version, tags] of Object.entries({ '1.3.0': ['1.3.0', 'edge'], '1.4.0': ['1.4.0', 'latest', 'edge'] })) {
    const manifests = []
    for (const architecture of ['amd64', 'arm64']) {
      const layerType = 'application/vnd.oci.image.layer.v1.tar+gzip'
      const layers = [
        await push(`base for ${architecture}\n`.repeat(90_000), layerType),
        await push(`anvil ${version} for ${architecture}\n`.repeat(20_000), layerType),
      ]
      const config = JSON.stringify({
        architecture,
        os: 'linux',
        config: {
          Entrypoint: ['anvil'],
          Cmd: ['--every', '10s'],
          User: 'anvil',
          ExposedPorts: { '9090/tcp': {} },
          Labels: {
            'org.opencontainers.image.description': 'Anvil in a small image',
            'org.opencontainers.image.licenses': 'MIT',
          },
        },
        history: [
          { created_by: '/bin/sh -c #(nop) ADD file:base.tar in / ' },
          { created_by: 'COPY anvil /usr/bin/anvil # buildkit' },
          { created_by: 'USER anvil', empty_layer: true },
          { created_by: 'EXPOSE map[9090/tcp:{}]', empty_layer: true },
          { created_by: 'ENTRYPOINT ["anvil"]', empty_layer: true },
        ],
        rootfs: { type: 'layers', diff_ids: [] },
      })
      const described = await push(config, 'application/vnd.oci.image.config.v1+json')
      const manifest = JSON.stringify({ schemaVersion: 2, mediaType: manifestType, config: described, layers })
      manifests.push({ ...(await describe(manifest)), platform: { os: 'linux', architecture } })
    }
    const index = JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests })
    for (const tag of tags) await describe(index, tag, indexType)
  }
}

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
  await makeImage(send)
  await send('PUT', '/api/packages/alice/cargo/api/v1/crates/new', crateBody())
  for (const [type, name] of [
    ['generic', 'anvil'],
    ['npm', 'anvil-client'],
    ['container', 'anvil'],
    ['cargo', 'anvil-lines'],
  ]) {
    await ask('alice', 'POST', `/packages/alice/${type}/${name}/-/link/anvil`)
  }
}
