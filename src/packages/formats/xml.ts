import { SaxesParser } from 'saxes'
import { BadRequest } from '../../lib/errors.ts'

/** An element with its joined text. Names have no namespace prefix. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  readonly text: string
}

/** Largest depth of a document, and largest number of elements and attributes together. */
const maxDepth = 64
const maxParts = 20_000

interface Growing extends XmlElement {
  readonly children: XmlElement[]
  text: string
}

const plain = (name: string): string => name.slice(name.indexOf(':') + 1)

/** Parses a small document. It loads nothing external and knows only the predefined entities. Throws `BadRequest`. */
export function parseXml(text: string): XmlElement {
  const parser = new SaxesParser()
  const open: Growing[] = []
  let root: XmlElement | undefined
  let count = 0
  parser.on('error', () => {
    throw broken()
  })
  const countPart = () => {
    count += 1
    if (count > maxParts) throw broken()
  }
  parser.on('attribute', countPart)
  parser.on('opentag', ({ name, attributes }) => {
    countPart()
    if (open.length >= maxDepth) throw broken()
    const element: Growing = { name: plain(name), attributes: { ...attributes }, children: [], text: '' }
    open.at(-1)?.children.push(element)
    open.push(element)
    root ??= element
  })
  const add = (part: string) => {
    const element = open.at(-1)
    if (element) element.text += part
  }
  parser.on('text', add)
  parser.on('cdata', add)
  parser.on('closetag', () => void open.pop())
  parser.write(text.replace(/^\uFEFF/, '')).close()
  if (!root) throw broken()
  return root
}

const broken = () => new BadRequest('the description is not valid XML', 'package_xml_invalid')

export const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((child) => child.name === name)

/** Returns the trimmed text of a child; empty without one. */
export const textOf = (element: XmlElement | undefined, name: string): string =>
  childOf(element, name)?.text.trim() ?? ''

export const childrenOf = (element: XmlElement | undefined, name: string): readonly XmlElement[] =>
  element?.children.filter((child) => child.name === name) ?? []
