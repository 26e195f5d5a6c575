import type { SourceKind } from '../../../sources/source.rules.ts'
import { wordTable } from '../../../lib/word-table.ts'

const kinds: Readonly<Record<SourceKind, string>> = { openid: 'OpenID Connect', ldap: 'Verzeichnis (LDAP)' }

/** Label and hint of each setting. */
const fields = wordTable<readonly [label: string, hint?: string]>({
  discovery_url: ['Adresse des Anbieters', 'Der Aussteller (Issuer) oder die Adresse seines Discovery-Dokuments.'],
  client_id: ['Client-ID'],
  scopes: ['Scopes', 'Werden neben openid erbeten. Durch Leerzeichen getrennt.'],
  skip_second_factor: [
    'Dem zweiten Faktor des Anbieters vertrauen',
    'Personen werden nicht nach dem ihres Kontos hier gefragt.',
  ],
  required_claim_name: ['Nötiger Claim', 'Nur Personen mit diesem Claim dürfen sich anmelden. Leer: alle.'],
  required_claim_value: ['Wert des nötigen Claims', 'Leer: jeder Wert.'],
  group_claim_name: ['Claim mit den Gruppen', 'Eine Liste von Namen in der Antwort des Anbieters.'],
  admin_group: [
    'Gruppe der Administratoren',
    'Ihre Mitglieder sind Administratoren, andere nicht. Leer: keine Änderung.',
  ],
  restricted_group: [
    'Gruppe eingeschränkter Konten',
    'Ihre Mitglieder sind eingeschränkt, andere nicht. Leer: keine Änderung.',
  ],
  team_map: [
    'Gruppen und Teams',
    'JSON, etwa {"developers": {"acme": ["Coders"]}}: eine Gruppe, eine Organisation, ihre Teams.',
  ],
  team_map_removes: [
    'Personen aus diesen Teams entfernen, wenn sie die Gruppe verlassen',
    'Sonst bleiben sie, bis jemand sie entfernt.',
  ],
  host: ['Host'],
  port: ['Port', '0 für den üblichen.'],
  security: ['Verschlüsselung'],
  skip_tls_verify: ['Jedes Zertifikat annehmen', 'Dann kann jeder auf dem Weg Passwörter lesen.'],
  bind_dn: ['Konto, das sucht', 'Der DN eines Kontos, das das Verzeichnis lesen darf. Leer: anonym suchen.'],
  user_base: ['Wo Personen sind', 'Der DN, unter dem Personen gesucht werden.'],
  user_filter: ['Filter für Personen', '%s steht für den eingegebenen Namen.'],
  user_dn: ['DN von Personen', 'Mit %s für den eingegebenen Namen. Personen melden sich damit direkt an, ohne Suche.'],
  admin_filter: ['Filter für Administratoren', 'Wer passt, ist Administrator, andere nicht. Leer: keine Änderung.'],
  restricted_filter: [
    'Filter für eingeschränkte Konten',
    'Wer passt, ist eingeschränkt, andere nicht. Leer: keine Änderung.',
  ],
  username_attribute: ['Name des Kontos', 'Leer: der eingegebene Name.'],
  first_name_attribute: ['Vorname'],
  surname_attribute: ['Nachname'],
  email_attribute: ['Mailadresse'],
  group_base: ['Wo Gruppen sind', 'Der DN, unter dem Gruppen gesucht werden.'],
  group_filter: ['Filter für Gruppen'],
  group_member_attribute: ['Attribut einer Gruppe, das ihre Mitglieder auflistet'],
  user_attribute_in_group: ['Attribut von Personen, das Gruppen auflisten', 'dn für den DN.'],
  synchronise: [
    'Konten folgen dem Verzeichnis nach einem Zeitplan',
    'Namen, Adressen und Rechte ändern sich mit den Einträgen. Konten ohne Eintrag werden deaktiviert.',
  ],
  allow_deactivate_all: [
    'Alle Konten deaktivieren, wenn das Verzeichnis leer ist',
    'Sonst gilt eine leere Antwort als Fehler und ändert nichts.',
  ],
  page_size: ['Einträge je Anfrage', 'Von 1 bis 5.000.'],
})

/** Texts of the pages of sign-in sources. */
export const sourceTexts = {
  lead: 'Andere Orte, an denen Personen dieser Instanz ihr Passwort haben.',
  add: 'Quelle hinzufügen',
  none: 'Personen melden sich mit Passwörtern dieser Instanz an',
  noneLead:
    'Fügen Sie einen Anbieter von OpenID Connect oder ein Verzeichnis hinzu; dann melden sich Personen mit dem Konto an, das sie dort haben.',
  all: 'Alle Quellen',
  kindLabel: 'Art der Quelle',
  kinds,
  kindLeads: {
    openid: 'Personen gehen zum Anbieter, melden sich dort an und kommen zurück.',
    ldap: 'Personen geben Name und Passwort hier ein; das Verzeichnis prüft sie.',
  },
  newOf: (kind: SourceKind) => `Neue Quelle: ${kinds[kind]}`,
  active: 'Aktiv',
  inactive: 'Aus',
  name: 'Name',
  nameHint: 'Buchstaben und Ziffern, dazwischen - _ . Personen sehen ihn auf der Seite der Anmeldung.',
  isActive: 'Personen dürfen sich mit dieser Quelle anmelden',
  secrets: { openid: 'Client-Geheimnis', ldap: 'Sein Passwort' },
  secretKept: 'Ein Geheimnis ist gespeichert. Lassen Sie dies leer, um es zu behalten.',
  forgetSecret: 'Gespeichertes Geheimnis löschen',
  callback: 'Registrieren Sie diese Adresse für die Rückkehr beim Anbieter:',
  callbackLabel: 'Adresse für die Rückkehr',
  groups: {
    provider: {
      title: 'Anbieter',
      lead: 'Registrieren Sie diese Instanz zuerst beim Anbieter. Er nennt die Client-ID und das Geheimnis.',
    },
    claim: {
      title: 'Wer sich anmelden darf',
      lead: 'Alle mit einem Konto beim Anbieter, wenn kein Claim verlangt wird.',
    },
    directory: {
      title: 'Verzeichnis',
      lead: 'Der Server, der antwortet, und das Konto, mit dem diese Instanz ihn fragt.',
    },
    who: { title: 'Personen', lead: 'Welche Einträge Personen sind und welche Rechte aus einem Eintrag folgen.' },
    attributes: {
      title: 'Profil',
      lead: 'Die Attribute eines Eintrags, aus denen Name und Mailadresse des Kontos kommen.',
    },
    sync: { title: 'Abgleich', lead: 'Eine geplante Aufgabe vergleicht die Konten mit dem Verzeichnis.' },
    teams: { title: 'Gruppen', lead: 'Gruppen der Quelle bringen Personen bei jeder Anmeldung in Teams hier.' },
  },
  fields,
  securities: { starttls: 'STARTTLS', tls: 'TLS', none: 'Keine' },
  noNumber: 'Muss eine ganze Zahl sein',
  noMap: 'Muss JSON dieser Form sein: {"group": {"organization": ["team"]}}',
  create: 'Quelle hinzufügen',
  save: 'Speichern',
  added: (name: string) => `Die Quelle ${name} wurde hinzugefügt.`,
  saved: (name: string) => `Die Quelle ${name} wurde gespeichert.`,
  delete: 'Quelle löschen',
  deleteHint: 'Nur eine Quelle ohne Konten kann gelöscht werden. Andere können ausgeschaltet werden.',
  confirmDelete: (name: string) => `Die Quelle ${name} löschen?`,
  deleted: (name: string) => `Die Quelle ${name} wurde gelöscht.`,
  test: 'Testen',
  testOf: (name: string) => `Test von ${name}`,
  testAgain: 'Noch einmal testen',
  testPassed: 'Jeder Schritt hat geklappt.',
  testFailed: 'Ein Schritt schlug fehl. Prüfen Sie die Einstellungen und den Server, den sie nennen.',
  testLead: 'Niemand wird angemeldet, und kein Konto ändert sich.',
  login: 'Name einer Person, die gesucht wird',
  back: 'Einstellungen',
  worked: 'hat geklappt',
  failed: 'schlug fehl',
}
