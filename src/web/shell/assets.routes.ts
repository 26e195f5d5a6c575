import { readFile } from 'node:fs/promises'
import { anyone } from '../../access/requirements.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'
import { builtFile } from '../../lib/assets.ts'
import { NotFound } from '../../lib/errors.ts'
import { readAsset } from './assets.ts'

const kept = { headers: { 'cache-control': 'public, max-age=3600' } }

/**
 * Headers of a document for frames: it has an opaque origin wherever it is opened, and only pages of this site frame it. It shows
 * nothing of the site, so `[cors].X_FRAME_OPTIONS` does not concern it.
 */
const frameHeaders = (policy: string) => ({
  'content-security-policy': `${policy}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts`,
  'x-frame-options': 'SAMEORIGIN',
  'referrer-policy': 'no-referrer',
})

/** Serves a script, style sheet, icon file or document of frames that the build made. Its name changes with its content. */
export const webAsset = operation({
  method: 'GET',
  path: '/assets/{filename}',
  cost: 'usual',
  base: 'site',
  scope: null,
  requires: [anyone],
  reply: { 200: bytesOf('text/css', 'text/javascript', 'image/svg+xml', 'text/html') },
  async run({ call, params }) {
    const asset = await readAsset(params.filename, String(call.headers['accept-encoding'] ?? ''))
    if (!asset) {
      // During an upgrade another process of the instance may have the file.
      call.replyHeaders['cache-control'] = 'no-store'
      throw new NotFound()
    }
    return bytes(asset.contentType, asset.content, {
      headers: {
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'Accept-Encoding',
        ...(asset.encoding === undefined ? {} : { 'content-encoding': asset.encoding }),
        ...(asset.policy === undefined ? {} : frameHeaders(asset.policy)),
      },
    })
  },
})

/** A square ingot in the colours of the pages. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#8a4b12"/>
<path d="M10 9h12l5 14H5z" fill="#e0a36a"/><path d="M10 9h12l-2 7h-8z" fill="#fbe3c4"/>
</svg>
`

/** Icon of tabs and bookmarks. */
export const siteIcon = operation({
  method: 'GET',
  path: '/assets/icon.svg',
  cost: 'usual',
  base: 'site',
  scope: null,
  requires: [anyone],
  reply: { 200: bytesOf('image/svg+xml') },
  run: async () => bytes('image/svg+xml', icon, kept),
})

const script = async (name: string) =>
  bytes('text/javascript;charset=utf-8', await readFile(builtFile(`data/${name}`)), kept)

/** Script of the sign-up form. */
export const signUpScript = operation({
  method: 'GET',
  path: '/assets/sign-up.js',
  cost: 'usual',
  base: 'site',
  scope: null,
  requires: [anyone],
  reply: { 200: bytesOf('text/javascript') },
  run: () => script('sign-up.js'),
})

/** Script of pages with passkeys. */
export const passkeyScript = operation({
  method: 'GET',
  path: '/assets/passkey.js',
  cost: 'usual',
  base: 'site',
  scope: null,
  requires: [anyone],
  reply: { 200: bytesOf('text/javascript') },
  run: () => script('passkey.js'),
})
