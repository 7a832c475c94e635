import { keyHider, authenticate, readApiKey } from '../../nodes/WorkspaceCrm/crm/apiKey';
import {
	readBodyFields,
	readChoice,
	readPage,
	readTemplateText,
	readTemplateVariables,
} from '../../nodes/WorkspaceCrm/crm/assumptions';
import { readDelivery } from '../../nodes/WorkspaceCrm/crm/records';
import {
	isPublicHttpsUrl,
	isSegment,
	parseUrl,
	pathSegment,
	readBaseUrl,
} from '../../nodes/WorkspaceCrm/crm/urls';
import {
	holdsMark,
	otherMark,
	readCampaignKey,
} from '../../nodes/WorkspaceCrm/domain/campaignMark';
import { attributeColumns } from '../../nodes/WorkspaceCrm/domain/contactColumns';
import * as json from '../../nodes/WorkspaceCrm/domain/plainData';
import * as phone from '../../nodes/WorkspaceCrm/domain/phone';
import { quoted, wrongValue } from '../../nodes/WorkspaceCrm/domain/inputProblem';
import * as sameNumber from '../../nodes/WorkspaceCrm/domain/sameNumber';
import * as sameText from '../../nodes/WorkspaceCrm/domain/sameText';
import * as text from '../../nodes/WorkspaceCrm/domain/text';
import { parseUtcMs, parseZonedMs } from '../../nodes/WorkspaceCrm/domain/time';
import * as typedValues from '../../nodes/WorkspaceCrm/domain/typedValues';
import { digitsOf, partsOf, readPhoneText } from '../../nodes/WorkspaceCrm/domain/writtenPhone';
import { distinct, matching, toEntries } from '../../nodes/WorkspaceCrm/editor/choices';
import { readField, type Field } from '../../nodes/WorkspaceCrm/operations/fieldKinds';
import { itemLabel, textOf } from '../../nodes/WorkspaceCrm/operations/nodeErrors';
import { withEmptied } from '../../nodes/WorkspaceCrm/resources/contact/contactFields';
import {
	isContactId,
	readContactId,
} from '../../nodes/WorkspaceCrm/resources/fields/contactReference';
import { Cell, type Source } from '../../nodes/WorkspaceCrm/operations/cell';
import { filterAgainst } from '../../nodes/WorkspaceCrm/events/filters';
import { readWaitUrl, withoutQuery } from '../../nodes/WorkspaceCrm/events/waitUrl';
import { repositoryFolder } from '../../tools/n8n/paths';
import { createRequire } from '../../tools/support/platform';
import { LONG_TEXTS } from '../support/longTexts';
import { testLongTexts, timeOf, type Act } from '../support/longTextTests';

/** Longer texts are no phone numbers. */
const MAX_PHONE_CHARACTERS = 61;

const fieldOf = (type: string, accepts?: Field['accepts']) =>
	({ displayName: 'Field', name: 'field', type, accepts, default: '', options: [] }) as Field;
const reader =
	(field: Field): Act =>
	(long) =>
		readField(field, new Cell(long, { saved: '', label: 'Field', evaluate: () => long }));

const givenValue = (value: string, source: Source) => new Cell(value, source).given();

const own = (saved: string) => ({ saved, label: 'Field', evaluate: () => '' });

const delivery = (long: string) =>
	readDelivery(
		Buffer.from(
			JSON.stringify({
				event: 'message.received',
				data: { message: { text: long, type: long }, flow_id: long, tag: long },
			}),
		),
	)!;

/** How each function reads a text that somebody else chose. */
const ACTS: Record<string, Act> = {
	asStored: sameText.asStored,
	asName: sameText.asName,
	'findName among other texts': (long) => sameText.findName(long, ['a', `${long} `, 'b']),
	'nameFinder, the parts of a text': (long) => {
		const parts = long.split(/[ ,]/);
		return parts.map(sameText.nameFinder(parts.map((part) => `${part}!`)));
	},
	'nameBeginsWith, as name': (long) => sameText.nameBeginsWith(long, 'A '),
	'nameBeginsWith, as prefix': (long) => sameText.nameBeginsWith('A tag', long),
	asWord: sameText.asWord,
	asPlainWord: sameText.asPlainWord,
	asWords: sameText.asWords,
	'hasPhrase, as text': (long) => sameText.hasPhrase(long, 'stop'),
	'hasPhrase, with its own beginning': (long) => sameText.hasPhrase(long, long.slice(0, 12)),
	'hasPhrase, as phrase': (long) => sameText.hasPhrase('Please stop', long),
	plainText: (long) => text.plainText(long, 500),
	'plainText, whole': (long) => text.plainText(long, 1_000_000),
	excerpt: (long) => text.excerpt(long, 60, 50_000),
	'excerpt, whole': (long) => text.excerpt(`${long}.`, long.length),
	withoutEnd: (long) => text.withoutEnd(long, ' /.!'),
	readNames: (long) => typedValues.readNames(long, 'Tags'),
	meantText: (long) => typedValues.meantText(`${"'".repeat(50_000)}=${long}`, long),
	readYesNo: (long) => typedValues.readYesNo('Opt In', long),
	asHeading: sameText.asHeading,
	toType: (long) =>
		['number', 'array', 'object', 'boolean'].map((type) => {
			try {
				return typedValues.toType(type, long, 'Column');
			} catch (error) {
				return error;
			}
		}),
	isNothing: json.isNothing,
	dropNothings: (long) => json.dropNothings({ a: long, [long]: [long] }),
	quoted: quoted,
	wrongValue: (long) => wrongValue(long, long, 'text'),
	readJsonObject: (long) => typedValues.readJsonObject(long, 'JSON'),
	checkJson: (long) => typedValues.checkJson([long], 'JSON'),
	isSameStored: (long) => sameText.isSameStored([long], [`${long} `]),
	valueAt: (long) => json.valueAt({ a: 1 }, long),
	mergeJson: (long) => json.mergeJson({ [long]: { a: 1 } }, { [long]: { b: long } }),
	readCampaignKey: readCampaignKey,
	'marks of campaigns': (long) => [
		holdsMark({ a: long }, { attribute: 'a', value: '' }),
		otherMark({ 'sent:k:1': long }, 'k'),
	],
	attributeColumns: (long) => attributeColumns([{ attributes: { [long]: 1, [`${long}b`]: 2 } }]),
	parseZonedMs: (long) => parseZonedMs(long, 'Europe/Berlin'),
	parseUtcMs: (long) => parseUtcMs(`2026-01-01T10:00${long}`),
	readPhoneText: readPhoneText,
	digitsOf: digitsOf,
	readPhone: (long) => phone.readPhone(long),
	'readPhone, with a country': (long) => phone.readPhone(long, 'DE', long),
	readCountry: phone.readCountry,
	whoseNumber: phone.whoseNumber,
	keysOf: (long) => sameNumber.keysOf({ id: long, phone: long }),
	phoneForms: sameNumber.phoneForms,
	isNumber: sameNumber.isNumber,
	idForm: sameNumber.idForm,
	hasSameDigits: (long) => sameNumber.hasSameDigits(long, `${long}1`),
	Subscribers: (long) => {
		const subscribers = new sameNumber.Subscribers();
		subscribers.add({ id: 'a', phone: long });
		return subscribers.of({ id: 'b', phone: long });
	},
	partsOf: (long) => partsOf(long.slice(0, 60)),
	parseUrl: (long) => [parseUrl(long), parseUrl(long, 'https://crm.example.com/')],
	isPublicHttpsUrl: (long) => isPublicHttpsUrl(`https://${long}`),
	readBaseUrl: (long) => readBaseUrl(`https://crm.example.com/${long}`),
	'readBaseUrl, as host': readBaseUrl,
	pathSegment: (long) => [isSegment(long), pathSegment(long)],
	readApiKey: readApiKey,
	keyHider: (long) => keyHider('secret-key')(long),
	'keyHider, as key': (long) => keyHider(long)('a text'),
	authenticate: (long) =>
		authenticate({ baseUrl: 'https://crm.example.com', apiKey: 'key' }, { url: long }),
	'authenticate, as base': (long) =>
		authenticate(
			{ baseUrl: 'https://crm.example.com', apiKey: 'key' },
			{ baseURL: long, url: '/a' },
		),
	readDelivery: (long) => [readDelivery(Buffer.from(long)), delivery(long)],
	readBodyFields: (long) => readBodyFields({ otherFieldNames: true, contactField: long }),
	readPage: (long) => readPage([{ id: long }, long], 'pages'),
	readChoice: (long) => readChoice({ name: long, id: long }),
	readTemplateVariables: (long) => readTemplateVariables({ name: 'a', body: long }),
	readTemplateText: (long) => readTemplateText({ name: 'a', body: long, other: [long] }),
	'choices in the editor': (long) => {
		const choices = distinct([
			{ name: long, value: long, text: long },
			{ name: long, value: 'b' },
		]);
		return [toEntries(choices), matching(choices, long)];
	},
	filterAgainst: (long) => [
		filterAgainst(delivery(long), { messageContains: ['stop', '*a*'], onlyNewContacts: false }, 0),
		filterAgainst(delivery(long), { messageTypes: ['text', 'image'] }, 0),
		filterAgainst({ ...delivery(long), event: 'form.submitted' }, { flowIds: ['1'] }, 0),
		filterAgainst({ ...delivery(long), event: 'tag.added' }, { tags: ['vip'] }, 0),
	],
	readWaitUrl: (long) => [readWaitUrl(long), readWaitUrl(`https://n8n.example.com/${long}`)],
	withoutQuery: withoutQuery,
	isContactId: isContactId,
	readContactId: (long) => readContactId(long),
	itemLabel: (long) => itemLabel([{ json: {} }, { json: { [long]: long, Name: long } }], 1),
	textOf: (long) => textOf({ message: long, description: long }, long),
	withEmptied: (long) =>
		withEmptied(
			{ [long]: 1 },
			[...new Set(long.split(','))].map((part, i) => `attributes.${part}${i}`),
		),
	'a field of text': reader(fieldOf('string')),
	'a field of JSON': reader(fieldOf('json')),
	'a date': reader(fieldOf('dateTime')),
	'a number': reader(fieldOf('number')),
	'true or false': reader(fieldOf('boolean')),
	'a record': reader(fieldOf('resourceLocator')),
	'a field of names': reader(fieldOf('string', 'names')),
	'a field for yes or no': reader(fieldOf('string', 'yesNo')),
	'a fixed text': (long) => givenValue(long, { ...own(long), saved: long }),
	'the text of an expression': (long) => givenValue(long, own(`=${long}`)),
	'a joined text': (long) => givenValue(`Hi ${long}!`, own('=Hi {{ $json.name }}!')),
	'a message with a joined text': (long) =>
		givenValue(`Hi ${long}!`, { ...own('=Hi {{ $json.name }}!'), needsAllParts: true }),
	'a field of exact text': reader(fieldOf('string', 'exactText')),
	'a choice': reader(fieldOf('options')),
	'a field of rows': (long) =>
		readField(
			fieldOf('fixedCollection'),
			new Cell(
				{ values: [{ name: long, value: long }] },
				{ saved: '', label: 'Rows', evaluate: () => long },
			),
		),
};

/** All that read numbers, also those that the service has stored. */
const PHONE_ACTS = [
	'readPhone',
	'readPhone, with a country',
	'whoseNumber',
	'keysOf',
	'phoneForms',
	'hasSameDigits',
	'Subscribers',
];

testLongTexts(ACTS);

it('only short texts reach the phone library', () => {
	// As the code has it: an import would be a copy.
	const phoneLibrary = createRequire(`${repositoryFolder}/`)(
		'libphonenumber-js/max',
	) as typeof import('libphonenumber-js/max');
	const calls = [
		jest.spyOn(phoneLibrary, 'parsePhoneNumberFromString'),
		jest.spyOn(phoneLibrary, 'validatePhoneNumberLength'),
	];
	const numbers = ['+4915123456701', '0151 23456701', '493012345678', '12345'];
	for (const long of [...numbers, ...LONG_TEXTS.map(([, text]) => text)])
		for (const name of PHONE_ACTS) timeOf(ACTS[name], long);
	for (const { mock } of calls) {
		expect(mock.calls.length).toBeGreaterThan(0);
		expect(mock.calls.filter(([given]) => given.length > MAX_PHONE_CHARACTERS)).toEqual([]);
	}
});
