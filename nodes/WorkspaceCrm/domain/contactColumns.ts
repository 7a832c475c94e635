import { isCampaignAttribute } from './campaignMark';
import { isJsonObject } from './plainData';

type ColumnType = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'options';

/** A field of a contact that a value can be mapped to. */
export interface Column {
	id: string;
	displayName: string;
	type: ColumnType;
	/** A short explanation, shown behind the name. */
	note?: string;
	/** Headings that people use for it in their sheets, with commas between them. */
	aliases?: string;
}

/** The prefix of the IDs of attribute columns. */
export const ATTRIBUTE = 'attributes.';

const PHONE_HEADINGS = [
	'Phone Number, Mobile, Mobile Phone, Mobile Phone Number, Mobile Number, Cell, Cell Phone, Cell Number',
	'Telephone, Telephone Number, Tel, Tel No, WhatsApp, WhatsApp Number, WhatsApp Phone Number',
	'Phone No, Mobile No, WhatsApp No, Contact Number',
	'Telefon, Telefonnummer, Telefon-Nr., Handy, Handynummer, Handy-Nr., Mobil, Mobilnummer',
	'Mobiltelefon, Mobilfunk, Mobilfunknummer, Rufnummer, WhatsApp-Nummer',
	'Téléphone, Téléphone mobile, Téléphone portable, Numéro de téléphone, Portable',
	'Numéro de portable, Numéro WhatsApp',
	'Teléfono, Teléfono móvil, Teléfono celular, Número de teléfono, Móvil, Celular',
	'Número de celular, Telefone, Telefone celular, Número de telefone, Telemóvel',
	'Número de WhatsApp, Número do celular, Número do WhatsApp',
	'Telefono, Numero di telefono, Cellulare, Numero di cellulare',
	'Telefoon, Telefoonnummer, Mobiel, Mobiel nummer, Telefonní číslo, Puhelin, Puhelinnumero',
	'No. HP, Nomor HP, Nomor Telepon, No. Telepon, Nomor WhatsApp, No. WA, Nombor Telefon',
	'Nomor WA, No. WhatsApp, No. HP/WA, No. WA/HP, HP/WA, No. Telp, Telepon, No. Telefon',
	'Numer telefonu, Telefon numarası, Cep telefonu, Τηλέφωνο, Телефон',
	'رقم الهاتف, الهاتف, رقم الجوال, الجوال, رقم الموبايل, رقم الواتساب',
	'फ़ोन नंबर, मोबाइल, मोबाइल नंबर',
].join(', ');

/** Of whole names. */
const FULL_NAME_HEADINGS = [
	'Full Name, Vollständiger Name, Nom complet, Nombre completo, Nome completo',
	'Contact Name, Vor- und Nachname, Nom et prénom, Prénom et nom, Nombre y apellidos',
	'Nome e sobrenome, Nome e cognome',
	'Volledige naam, Imię i nazwisko, Ad Soyad, Nama Lengkap, Nama Penuh',
	'الاسم الكامل, पूरा नाम',
].join(', ');

/** Beside a heading of a part of the name, it may be that of the other part. */
export const BARE_NAME_HEADINGS = 'Name, Naam, Nama, الاسم, नाम, Nom, Nombre, Nome';

/** Not mapped. */
export const NAME_PART_HEADINGS = [
	'First Name, Given Name, Forename, Middle Name, Last Name, Family Name, Surname',
	'Vorname, Nachname, Familienname, Prénom, Prénoms, Nom de famille',
	'Primer nombre, Segundo nombre, Apellido, Apellidos, Primer apellido, Segundo apellido',
	'Apellido paterno, Apellido materno, Primeiro nome, Apelido, Apelidos, Sobrenome, Último nome',
	'Cognome, Voornaam, Achternaam, Nama Depan, Nama Belakang',
	'الاسم الأول, اسم العائلة, पहला नाम, उपनाम',
].join(', ');

/** Not Labels: in an export of Google Contacts, that is "* myContacts" for everybody. */
const TAG_HEADINGS = [
	'Tag, Label, Etiketten, Schlagwörter, Étiquettes, Etiquetas, Marcadores, Etichette',
	'الوسوم, टैग',
].join(', ');

/** Only what is about messages. A bare "Consent" may be about anything. */
const OPT_IN_HEADINGS = [
	'Opted In, WhatsApp Opt In, Accepts Messages, OK to Text, Nachrichten erwünscht',
	'Accepte les messages',
	'Acepta mensajes, Acepta recibir mensajes, Aceita mensagens, Aceita receber mensagens',
	'Bersedia dihubungi, Bersedia menerima pesan, Bersedia dikirimi pesan, Bersetuju menerima mesej',
	'يوافق على الرسائل, संदेश चाहिए, संदेश की अनुमति, मैसेज की अनुमति, मैसेज भेजने की सहमति',
].join(', ');

/** The columns that every workspace has. Tags are text because a text column also accepts an array by expression. */
export const CONTACT_COLUMNS: readonly Column[] = [
	{
		id: 'phone',
		displayName: 'Phone',
		type: 'string',
		aliases: PHONE_HEADINGS,
	},
	{
		id: 'name',
		displayName: 'Name',
		type: 'string',
		aliases: `${FULL_NAME_HEADINGS}, ${BARE_NAME_HEADINGS}`,
	},
	{ id: 'locale', displayName: 'Locale', type: 'string', note: 'language, e.g. en' },
	{ id: 'source', displayName: 'Source', type: 'string', note: 'e.g. website' },
	{
		id: 'tags',
		displayName: 'Tags',
		type: 'string',
		note: 'separated by commas',
		aliases: TAG_HEADINGS,
	},
	{
		id: 'opt_in',
		displayName: 'Opt In',
		type: 'options',
		note: 'wants messages',
		aliases: OPT_IN_HEADINGS,
	},
	{ id: 'consent_proof', displayName: 'Consent Proof', type: 'string', note: 'how, when' },
];

/** Identifies an existing contact. Kept apart, because an input column named `id` may be the ID of anything. */
export const ID_COLUMN: Column = {
	id: 'id',
	displayName: 'Contact ID',
	type: 'string',
	note: 'instead of the phone',
};

/**
 * A column for each attribute of the contacts, by name. If the values have different types, it is a text
 * column, which accepts any value by expression.
 */
export function attributeColumns(contacts: ReadonlyArray<{ attributes?: unknown }>): Column[] {
	const types = new Map<string, Set<ColumnType>>();
	for (const { attributes } of contacts) {
		for (const [key, value] of Object.entries(isJsonObject(attributes) ? attributes : {})) {
			if (isCampaignAttribute(key)) continue;
			const previous = types.get(key) ?? new Set();
			const type = Array.isArray(value) ? 'array' : (typeof value as ColumnType);
			types.set(key, value === null ? previous : previous.add(type));
		}
	}
	return [...types]
		.map(([key, [type = 'string', ...others]]) =>
			attributeColumn(key, others.length > 0 ? 'string' : type),
		)
		.sort((a, b) => a.id.localeCompare(b.id, 'en'));
}

export function attributeColumn(key: string, type: ColumnType): Column {
	return { id: `${ATTRIBUTE}${key}`, displayName: attributeLabel(key), type };
}

export function attributeLabel(key: string): string {
	return `Attribute: ${key}`;
}

export function labelOf(columnId: string): string {
	if (columnId.startsWith(ATTRIBUTE)) return attributeLabel(columnId.slice(ATTRIBUTE.length));
	const column = [...CONTACT_COLUMNS, ID_COLUMN].find(({ id }) => id === columnId);
	return column?.displayName ?? columnId;
}

/** The fields of a contact that can be emptied, besides its attributes. */
export const EMPTIABLE = ['name', 'locale', 'source'];
