import { BadRequest } from '../../lib/errors.ts'

/** Longest name of a package, version or file, in characters. */
const maxLength = 255

const nameForm = /^[-_+.\w]+$/
const fileForm = /^[-_+=:;.()[\]{}~!@#$%^& \w]+$/
// oxlint-disable-next-line no-control-regex -- it is these that are not wanted
const controls = /[\u0000-\u001f\u007f]/

const isTrimmed = (text: string): boolean => text !== '' && text.trim() === text && text.length <= maxLength

/** A single character must be a letter or digit. */
const isName = (name: string): boolean =>
  isTrimmed(name) && nameForm.test(name) && name !== '..' && (name.length > 1 || /[a-z0-9]/i.test(name))

const isFileName = (name: string): boolean => isTrimmed(name) && fileForm.test(name) && name !== '.' && name !== '..'

/** Throws `BadRequest` for invalid names of a package, version or file. */
export function checkNames(names: {
  readonly name: string
  readonly version: string
  readonly fileName: string
}): void {
  if (!isName(names.name)) throw new BadRequest('the name of the package is invalid', 'package_name_invalid')
  if (!isTrimmed(names.version) || controls.test(names.version)) {
    throw new BadRequest('the version is invalid', 'package_version_invalid')
  }
  if (!isFileName(names.fileName)) throw new BadRequest('the name of the file is invalid', 'package_file_name_invalid')
}
