import { readFile } from 'node:fs/promises'
import { anyone } from '../access/requirements.ts'
import { bytesOf, operation } from '../http/operation.ts'
import { bytes } from '../http/reply.ts'
import { builtFile } from '../lib/assets.ts'
import { styleSheet } from './style-sheet.ts'

const kept = { headers: { 'cache-control': 'public, max-age=3600' } }

/** The style of all pages. */
export const forgeStyle = operation({
  method: 'GET',
  path: '/assets/forge.css',
  base: 'site',
  scope: null,
  requires: [anyone],
  reply: { 200: bytesOf('text/css') },
  run: async () => bytes('text/css;charset=utf-8', styleSheet, kept),
})

const script = async (name: string) =>
  bytes('text/javascript;charset=utf-8', await readFile(builtFile(`data/${name}`)), kept)

/** What the form to sign up does in a browser with scripts. */
export const signUpScript = operation({
  method: 'GET',
  path: '/assets/sign-up.js',
  base: 'site',
  scope: null,
  requires: [anyone],
  reply: { 200: bytesOf('text/javascript') },
  run: () => script('sign-up.js'),
})

/** What pages do that ask for a passkey. */
export const passkeyScript = operation({
  method: 'GET',
  path: '/assets/passkey.js',
  base: 'site',
  scope: null,
  requires: [anyone],
  reply: { 200: bytesOf('text/javascript') },
  run: () => script('passkey.js'),
})
