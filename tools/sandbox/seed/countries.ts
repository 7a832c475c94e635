/** Where seeded contacts come from. */
export interface Country {
	locale: string;
	/** A number begins with one of these ... */
	phonePrefixes: string[];
	/** ... and goes on with this many free digits. */
	freeDigits: number;
	cities: string[];
	firstNames: string[];
	lastNames: string[];
}

export const countries: Country[] = [
	{
		locale: 'de',
		phonePrefixes: ['+491511', '+49170', '+49171', '+49172'],
		freeDigits: 7,
		cities: ['Berlin', 'Hamburg', 'München', 'Köln'],
		firstNames: ['Anna', 'Jürgen', 'Lena', 'Matthias', 'Sophie', 'Björn', 'Katrin'],
		lastNames: ['Müller', 'Schäfer', 'Weiß', 'Hoffmann', 'Krüger', 'Vogel'],
	},
	{
		locale: 'en_GB',
		phonePrefixes: ['+447400', '+447500', '+447712', '+447812'],
		freeDigits: 6,
		cities: ['London', 'Bristol', 'Leeds', 'Edinburgh'],
		firstNames: ['Oliver', 'Amelia', 'Harry', 'Priya', 'George', 'Isla'],
		lastNames: ["O'Connor", 'Smith', 'Patel', 'Taylor-Reed', 'Hughes', 'Campbell'],
	},
	{
		locale: 'en_US',
		phonePrefixes: ['+1212', '+1415', '+1312', '+1206'],
		freeDigits: 7,
		cities: ['New York', 'San Francisco', 'Chicago', 'Seattle'],
		firstNames: ['Emma', 'Liam', 'Ava', 'Noah', 'Mia', 'Ethan'],
		lastNames: ['Johnson', 'Garcia', 'Nguyen', 'Williams', 'Lee', 'Brown'],
	},
	{
		locale: 'pt_BR',
		phonePrefixes: ['+55119', '+55219', '+55319'],
		freeDigits: 8,
		cities: ['São Paulo', 'Rio de Janeiro', 'Belo Horizonte'],
		firstNames: ['João', 'Beatriz', 'Thiago', 'Larissa', 'Antônio', 'Camila'],
		lastNames: ['da Silva', 'Gonçalves', 'Souza', 'Araújo', 'Lima'],
	},
	{
		locale: 'hi',
		phonePrefixes: ['+9198', '+9199', '+9197'],
		freeDigits: 8,
		cities: ['Mumbai', 'Bengaluru', 'Delhi', 'Pune'],
		firstNames: ['Aarav', 'Diya', 'Rohan', 'Ananya', 'अमित'],
		lastNames: ['Sharma', 'Iyer', 'Reddy', 'Kapoor', 'वर्मा'],
	},
	{
		locale: 'es',
		phonePrefixes: ['+34612', '+34655', '+34678'],
		freeDigits: 6,
		cities: ['Madrid', 'Sevilla', 'Valencia'],
		firstNames: ['Lucía', 'Íñigo', 'Carmen', 'Pablo', 'Begoña'],
		lastNames: ['Fernández', 'Ruiz', 'Núñez', 'Ortega', 'Castaño'],
	},
	{
		locale: 'ja',
		phonePrefixes: ['+81901', '+81903', '+81805'],
		freeDigits: 7,
		cities: ['東京', '大阪', '札幌'],
		firstNames: ['結衣', '大翔', '美咲', '蓮'],
		lastNames: ['佐藤', '鈴木', '高橋', '田中'],
	},
];
