import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sniffContentType } from './content-type.ts'

const type = (content: string | Buffer) => sniffContentType(Buffer.isBuffer(content) ? content : Buffer.from(content))

test('content type: a file that a browser would execute is plain text', () => {
  for (const text of ['<html><script>alert(1)</script>', 'alert(1)', '{"a":1}', '<?xml version="1.0"?><a/>', '']) {
    assert.equal(type(text), 'text/plain; charset=utf-8')
  }
})

test('content type: the first bytes identify images, documents, audio and video', () => {
  assert.equal(type(Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB', 'base64')), 'image/png')
  assert.equal(type(Buffer.from('RIFF\x10\0\0\0WEBPVP8 ', 'latin1')), 'image/webp')
  const film = Buffer.from('\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41\0\0\0\x08free', 'latin1')
  assert.equal(type(film), 'video/mp4')
  for (const bytes of [8, 12, 20, 31]) {
    assert.equal(type(film.subarray(0, bytes)), 'application/octet-stream', `cut after ${bytes} bytes`)
  }
  assert.equal(type(film.subarray(0, 32)), 'video/mp4')
  assert.equal(type(Buffer.from('\0\0\0\x14ftypqt  \0\0\0\0qt  ', 'latin1')), 'application/octet-stream')
  assert.equal(type(Buffer.from('\0\0\0\x14ftypxxxxmp41xxxx', 'latin1')), 'application/octet-stream', 'no brand')
  assert.equal(type(Buffer.from('\0\0\0\x13ftypmp42\0\0\0\0mp4', 'latin1')), 'application/octet-stream')
  assert.equal(type('%PDF-1.4\n'), 'application/pdf')
  assert.equal(type('BM is how this sentence begins'), 'text/plain; charset=utf-8')
  assert.equal(type(Buffer.from([0, 1, 2, 255])), 'application/octet-stream')
})

test('content type: an SVG image is recognized behind comments and declarations', () => {
  assert.equal(type('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml')
  assert.equal(type('<?xml version="1.0"?>\n<!-- x -->\n<svg/>'), 'image/svg+xml')
  assert.equal(type('<!DOCTYPE svg PUBLIC "a">\n<!-- <svg> -->\n<?xml a?> <svg>'), 'image/svg+xml')
  assert.equal(type('a text about <svg>'), 'text/plain; charset=utf-8')
  assert.equal(type('<!-- <svg> -->'), 'text/plain; charset=utf-8')
  assert.equal(type('<!---->'.repeat(140)), 'text/plain; charset=utf-8')
})

test('content type: the type of a text names its character set', () => {
  assert.equal(type(Buffer.from('fffe61000a00', 'hex')), 'text/plain; charset=utf-16le')
  assert.equal(type(Buffer.from('déjà vu, garçon, élève', 'latin1')), 'text/plain; charset=iso-8859-1')
  assert.equal(type(Buffer.from('caf\xe9\n', 'latin1')), 'text/plain; charset=utf-8')
  assert.equal(type('é'.repeat(511) + 'xé'), 'text/plain; charset=utf-8')
})
