import { readBoundedYaml, YamlProblem } from '../../lib/bounded-yaml.ts'
import { cutBytes } from '../title.rules.ts'
import { fieldTypes, maxFields, sights, type FormField, type Sight, type Values } from './form-field.ts'

/** An issue template: a Markdown text or a form. */
export interface IssueTemplate {
  /** Path in the repository. */
  readonly path: string
  readonly name: string
  readonly title: string
  readonly about: string
  readonly labels: readonly string[]
  /** Names of accounts, which may not exist. */
  readonly assignees: readonly string[]
  readonly ref: string
  readonly content: string
  /** Undefined for a Markdown template. */
  readonly fields: readonly FormField[] | undefined
}

/** The configuration of a repository's issue templates. */
export interface IssueConfig {
  /** Whether an issue may be opened without a template. */
  readonly allowsBlank: boolean
  readonly contactLinks: readonly ContactLink[]
}

/** A link to another site for questions. */
interface ContactLink {
  readonly name: string
  readonly url: string
  readonly about: string
}

/** The error of an invalid template or configuration; the message names the fault. */
export class TemplateProblem extends Error {
  override readonly name = 'TemplateProblem'
}

const refuse = (message: string): never => {
  throw new TemplateProblem(message)
}

const isMapping = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function readYaml(text: string): unknown {
  try {
    return readBoundedYaml(text, { maxValues: 5000, maxDepth: 20 }).value
  } catch (error) {
    if (error instanceof YamlProblem) refuse(`yaml: ${error.message}`)
    throw error
  }
}

/** Parses YAML as a mapping; an empty text gives an empty mapping. */
function readMapping(text: string): Values {
  const values = readYaml(text)
  if (values === null || values === undefined) return {}
  return isMapping(values) ? values : refuse('the file holds no mapping')
}

/** Returns a scalar as text, also a number or a boolean; '' when it is absent. */
function scalarText(values: Values, key: string): string {
  const value = values[key]
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? refuse(`${key} is no text`) : `${value as string | number | boolean | bigint}`
}

function labelsOf(value: unknown): string[] {
  if (value === undefined || value === null) return []
  const texts = Array.isArray(value)
    ? value
    : typeof value === 'string'
      ? value.split(',')
      : refuse('labels is no list')
  const labels = texts.map((text: unknown) =>
    typeof text === 'object' ? refuse('a label is no text') : `${text as string | number | boolean | bigint}`.trim(),
  )
  return labels.filter((label) => label !== '')
}

/** Most people that one key of a template names. */
const maxPeople = 10

/** Returns the people whom a key names. Other programs read such keys in other ways, so no value of them makes a template invalid. */
function peopleOf(value: unknown): string[] {
  const texts = Array.isArray(value) ? (value as unknown[]) : typeof value === 'string' ? value.split(',') : []
  const names = texts.flatMap((text) => (typeof text === 'string' ? [text.trim().replace(/^@/, '')] : []))
  return [...new Set(names.filter((name) => name !== ''))].slice(0, maxPeople)
}

/**
 * Reads the head that both kinds of templates share. It requires name and about; `description` replaces an absent about.
 */
function readHead(values: Values): Omit<IssueTemplate, 'content' | 'fields' | 'path'> {
  const name = scalarText(values, 'name').trim()
  const about = (scalarText(values, 'about') || scalarText(values, 'description')).trim()
  if (name === '') refuse('name is missing')
  if (about === '') refuse('about is missing')
  const ref = scalarText(values, 'ref')
  return {
    name,
    title: scalarText(values, 'title'),
    about,
    labels: labelsOf(values['labels']),
    assignees: peopleOf(values['assignees']),
    ref: ref.startsWith('refs/') ? ref : `refs/heads/${ref}`,
  }
}

const fileNameOf = (path: string): string => path.split('/').at(-1) as string

const headForm = /^---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m

/** Longest `about`, in bytes, that is taken from the text of a template without a head. */
const maxAboutBytes = 80

/** Parses a Markdown template. Without a head, the name is that of the file and about is the beginning of the text. */
export function parseMarkdownTemplate(path: string, text: string): IssueTemplate {
  const head = headForm.exec(text)
  if (!head || head.index !== 0) {
    const about = cutBytes(text, maxAboutBytes)
    if (about.trim() === '') refuse('about is missing')
    const head = { name: fileNameOf(path), title: '', about, labels: [], assignees: [], ref: 'refs/heads/' }
    return { path, ...head, content: text, fields: undefined }
  }
  const content = text.slice(head[0].length)
  return { path, ...readHead(readMapping(head[1] as string)), content, fields: undefined }
}

/** Parses a form template and validates each field (contract, issues: templates). */
export function parseFormTemplate(path: string, text: string): IssueTemplate {
  const values = readMapping(text)
  return { path, ...readHead(values), content: '', fields: readFields(values) }
}

function readFields({ body }: Values): readonly FormField[] {
  if (!Array.isArray(body) || body.length === 0) refuse('body is missing')
  if ((body as unknown[]).length > maxFields) refuse(`the form has more than ${maxFields} fields`)
  const fields = (body as unknown[]).map((field, index) => readField(field, index))
  const ids = fields.map((field) => field.id)
  const double = ids.find((id, index) => ids.indexOf(id) !== index)
  if (double !== undefined) refuse(`two fields have the id ${double}`)
  return fields
}

/** A template of pull requests. */
export interface PullTemplate extends Omit<IssueTemplate, 'ref'> {
  /** Names of accounts, and of teams as `organization/team`; they may not exist. */
  readonly reviewers: readonly string[]
  /** The title of a milestone or its beginning; '' without one. */
  readonly milestone: string
  /** Why the head of a Markdown template is a part of its text; undefined for others. */
  readonly headProblem: string | undefined
}

function readPullHead(path: string, values: Values): Omit<PullTemplate, 'content' | 'fields' | 'headProblem'> {
  return {
    path,
    name: scalarText(values, 'name').trim() || fileNameOf(path),
    about: (scalarText(values, 'about') || scalarText(values, 'description')).trim(),
    title: scalarText(values, 'title'),
    labels: labelsOf(values['labels']),
    assignees: peopleOf(values['assignees']),
    reviewers: peopleOf(values['reviewers']),
    milestone: scalarText(values, 'milestone').trim(),
  }
}

/**
 * Parses a template of pull requests. Name and about are optional. A Markdown text that begins with a line `---` and no mapping
 * is a text without a head.
 */
export function parsePullTemplate(path: string, text: string): PullTemplate {
  if (!path.endsWith('.md')) {
    const values = readMapping(text)
    return { ...readPullHead(path, values), content: '', fields: readFields(values), headProblem: undefined }
  }
  const plain = { ...readPullHead(path, {}), content: text, fields: undefined, headProblem: undefined }
  const head = headForm.exec(text)
  if (!head || head.index !== 0) return plain
  try {
    const values = readYaml(head[1] as string) ?? {}
    if (!isMapping(values)) return plain
    const content = text.slice(head[0].length).replace(/^\s*\n/, '')
    return { ...plain, ...readPullHead(path, values), content }
  } catch (error) {
    if (error instanceof TemplateProblem) return { ...plain, headProblem: error.message }
    throw error
  }
}

function mappingOf(values: Values, key: string, where: string): Values | null {
  const value = values[key]
  if (value === undefined || value === null) return null
  return isMapping(value) ? value : refuse(`${where}: ${key} is no mapping`)
}

function visibleOf(values: Values, where: string): Sight[] | undefined {
  const value = values['visible']
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) return refuse(`${where}: visible is no list`)
  const unknown = value.find((each: unknown) => !sights.includes(each as Sight))
  return unknown === undefined ? (value as Sight[]) : refuse(`${where}: visible holds an unknown word`)
}

function readField(field: unknown, index: number): FormField {
  const where = `field ${index + 1}`
  if (!isMapping(field)) return refuse(`${where} is no mapping`)
  const type = fieldTypes.find((each) => each === field['type']) ?? refuse(`${where} has an unknown type`)
  const attributes = mappingOf(field, 'attributes', where)
  const validations = mappingOf(field, 'validations', where)
  const visibleIn = visibleOf(field, where) ?? (type === 'markdown' ? ['form' as const] : [...sights])
  const id = idOf(field, index, where)
  checkAttributes({ type, attributes: attributes ?? {}, visibleIn }, where)
  checkValidations(type, validations ?? {}, visibleIn, where)
  return { type, id, attributes, validations, visibleIn }
}

function idOf(field: Values, index: number, where: string): string {
  const { id } = field
  if (id === undefined || id === null || id === '') return String(index)
  if (typeof id !== 'string' || !/^[A-Za-z0-9_-]+$/.test(id)) return refuse(`${where}: the id holds other characters`)
  return id
}

function checkText(values: Values, key: string, where: string, isNeeded = false): void {
  const value = values[key]
  if (value === undefined || value === null) {
    if (isNeeded) refuse(`${where}: ${key} is missing`)
    return
  }
  if (typeof value !== 'string') refuse(`${where}: ${key} is no text`)
  if (isNeeded && (value as string).trim() === '') refuse(`${where}: ${key} is empty`)
}

function checkFlag(values: Values, key: string, where: string): void {
  const value = values[key]
  if (value !== undefined && value !== null && typeof value !== 'boolean') {
    refuse(`${where}: ${key} is neither true nor false`)
  }
}

function checkAttributes(
  { type, attributes, visibleIn }: { type: FormField['type']; attributes: Values; visibleIn: readonly Sight[] },
  where: string,
): void {
  if (type === 'markdown') return checkText(attributes, 'value', where, true)
  checkText(attributes, 'label', where, true)
  for (const key of ['description', 'placeholder', 'value', 'render']) {
    if (type === 'input' || type === 'textarea' || key === 'description') checkText(attributes, key, where)
  }
  if (type === 'dropdown') checkDropdown(attributes, where)
  if (type === 'checkboxes') checkBoxes(attributes, visibleIn, where)
}

const optionsOf = (attributes: Values, where: string): unknown[] => {
  const { options } = attributes
  return Array.isArray(options) && options.length > 0 ? options : refuse(`${where}: options is missing`)
}

function checkDropdown(attributes: Values, where: string): void {
  const options = optionsOf(attributes, where)
  if (options.some((option) => typeof option !== 'string')) refuse(`${where}: an option is no text`)
  checkFlag(attributes, 'multiple', where)
  checkFlag(attributes, 'list', where)
  const chosen = attributes['default']
  if (chosen === undefined || chosen === null) return
  const isInRange = Number.isInteger(chosen) && (chosen as number) >= 0 && (chosen as number) < options.length
  if (!isInRange) refuse(`${where}: default is the position of no option`)
}

function checkBoxes(attributes: Values, visibleOfAll: readonly Sight[], where: string): void {
  for (const [index, option] of optionsOf(attributes, where).entries()) {
    const box = `${where}, option ${index + 1}`
    if (!isMapping(option)) return refuse(`${box} is no mapping`)
    checkText(option, 'label', box, true)
    checkFlag(option, 'required', box)
    const visible = visibleOf(option, box) ?? visibleOfAll
    const isShown = visible.includes('form') && visibleOfAll.includes('form')
    if (option['required'] === true && !isShown) refuse(`${box} is required and hidden`)
  }
}

function checkValidations(
  type: FormField['type'],
  validations: Values,
  visible: readonly Sight[],
  where: string,
): void {
  if (type === 'markdown') return
  checkFlag(validations, 'required', where)
  if (validations['required'] === true && !visible.includes('form')) refuse(`${where} is required and hidden`)
  if (type !== 'input') return
  checkFlag(validations, 'is_number', where)
  checkText(validations, 'regex', where)
}

/** The configuration when the file is absent or invalid. */
export const defaultIssueConfig: IssueConfig = { allowsBlank: true, contactLinks: [] }

/** Parses the configuration of issue templates. */
export function parseIssueConfig(text: string): IssueConfig {
  const values = readMapping(text)
  const blank = values['blank_issues_enabled'] ?? true
  if (typeof blank !== 'boolean') refuse('blank_issues_enabled is neither true nor false')
  const links = values['contact_links'] ?? []
  if (!Array.isArray(links)) return refuse('contact_links is no list')
  return {
    allowsBlank: blank as boolean,
    contactLinks: links.map((link: unknown, index) => readLink(link, index + 1)),
  }
}

function readLink(link: unknown, position: number): ContactLink {
  if (!isMapping(link)) return refuse(`contact_link at position ${position} is no mapping`)
  const textOf = (key: string) =>
    scalarText(link, key) || refuse(`contact_link at position ${position} is missing ${key} key`)
  const name = textOf('name')
  const url = textOf('url')
  const about = textOf('about')
  if (!url.startsWith('/') && !URL.canParse(url)) refuse(`${url} is no valid address`)
  return { name, url, about }
}
