BEGIN TRANSACTION;
CREATE TABLE accuracies (
	ladder TEXT NOT NULL, 
	name TEXT NOT NULL, 
	phase TEXT NOT NULL, 
	games BIGINT NOT NULL, 
	moves BIGINT NOT NULL, 
	best BIGINT NOT NULL, 
	lost BIGINT NOT NULL, 
	moves_squared BIGINT NOT NULL, 
	moves_lost BIGINT NOT NULL, 
	lost_squared BIGINT NOT NULL, 
	CONSTRAINT pk_accuracies PRIMARY KEY (ladder, name, phase)
);
CREATE TABLE admin_log (
	number BIGINT NOT NULL, 
	at TEXT NOT NULL, 
	"by" TEXT NOT NULL, 
	action TEXT NOT NULL, 
	what TEXT NOT NULL, 
	why TEXT NOT NULL, 
	CONSTRAINT pk_admin_log PRIMARY KEY (number)
);
INSERT INTO "admin_log" VALUES(1,'2026-01-01T00:00:00.000+00:00','root','ban','{}','');
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0019');
CREATE TABLE bans (
	kind TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	until TEXT, 
	at TEXT NOT NULL, 
	"by" TEXT NOT NULL, 
	CONSTRAINT pk_bans PRIMARY KEY (kind, "key")
);
INSERT INTO "bans" VALUES('name','eve','she cheats',NULL,'2026-01-01T00:00:00.000+00:00','root');
CREATE TABLE bots (
	name TEXT NOT NULL, 
	token_hash TEXT NOT NULL, 
	created_at TEXT NOT NULL, revoked_at TEXT, is_reviewer BOOLEAN DEFAULT 0 NOT NULL, is_submitter BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_bots PRIMARY KEY (name)
);
INSERT INTO "bots" VALUES('rev','aca54b802871e194a708b7b42ff8625558fd6486a33f4eeb884373c44fb3e202','2026-01-01T00:00:00.000+00:00',NULL,1,0);
CREATE TABLE copied (
	"table" TEXT NOT NULL, 
	last TEXT NOT NULL, 
	CONSTRAINT pk_copied PRIMARY KEY ("table")
);
CREATE TABLE counters (
	name TEXT NOT NULL, 
	value BIGINT NOT NULL, 
	CONSTRAINT pk_counters PRIMARY KEY (name)
);
INSERT INTO "counters" VALUES('seq',23);
INSERT INTO "counters" VALUES('info_bytes',1296);
CREATE TABLE day_counts (
	kind TEXT NOT NULL, 
	ladder TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	item TEXT NOT NULL, 
	counted_at TEXT NOT NULL
);
INSERT INTO "day_counts" VALUES('newcomer','main','bot bob','bob@1','2026-01-01T00:00:00.000+00:00');
CREATE TABLE duels (
	south TEXT NOT NULL, 
	north TEXT NOT NULL, 
	games INTEGER NOT NULL, 
	wins INTEGER NOT NULL, 
	draws INTEGER NOT NULL, 
	losses INTEGER NOT NULL, 
	CONSTRAINT pk_duels PRIMARY KEY (south, north)
)
 WITHOUT ROWID

;
INSERT INTO "duels" VALUES('ann','bob',3,1,1,1);
INSERT INTO "duels" VALUES('ann','cid',3,3,0,0);
INSERT INTO "duels" VALUES('bob','ann',2,0,2,0);
INSERT INTO "duels" VALUES('bob','cid',1,1,0,0);
INSERT INTO "duels" VALUES('cid','ann',2,0,1,1);
INSERT INTO "duels" VALUES('cid','bob',3,1,1,1);
CREATE TABLE endings (
	bot TEXT NOT NULL, 
	ladder TEXT NOT NULL, 
	entrant TEXT NOT NULL, 
	seat INTEGER NOT NULL, 
	reason TEXT NOT NULL, 
	games INTEGER NOT NULL, 
	wins INTEGER NOT NULL, 
	draws INTEGER NOT NULL, 
	losses INTEGER NOT NULL, 
	CONSTRAINT pk_endings PRIMARY KEY (bot, ladder, entrant, seat, reason)
)
 WITHOUT ROWID

;
INSERT INTO "endings" VALUES('ann','','ann',0,'aborted',2,0,0,0);
INSERT INTO "endings" VALUES('ann','','ann',0,'normal',1,1,0,0);
INSERT INTO "endings" VALUES('ann','','ann',0,'timeout',2,1,1,0);
INSERT INTO "endings" VALUES('ann','main','ann',1,'normal',2,1,1,0);
INSERT INTO "endings" VALUES('ann','main','ann',1,'timeout',2,0,2,0);
INSERT INTO "endings" VALUES('ann','main','ann@1',0,'aborted',4,0,0,0);
INSERT INTO "endings" VALUES('ann','main','ann@1',0,'normal',2,1,0,1);
INSERT INTO "endings" VALUES('ann','main','ann@1',0,'timeout',1,1,0,0);
INSERT INTO "endings" VALUES('bob','','bob',1,'aborted',3,0,0,0);
INSERT INTO "endings" VALUES('bob','','bob',1,'timeout',1,0,1,0);
INSERT INTO "endings" VALUES('bob','main','bob',1,'aborted',1,0,0,0);
INSERT INTO "endings" VALUES('bob','main','bob',1,'normal',3,2,1,0);
INSERT INTO "endings" VALUES('bob','main','bob',1,'timeout',2,0,0,2);
INSERT INTO "endings" VALUES('bob','main','bob@1',0,'aborted',1,0,0,0);
INSERT INTO "endings" VALUES('bob','main','bob@1',0,'timeout',3,1,2,0);
INSERT INTO "endings" VALUES('cid','','cid',0,'aborted',2,0,0,0);
INSERT INTO "endings" VALUES('cid','','cid',1,'aborted',1,0,0,0);
INSERT INTO "endings" VALUES('cid','','cid',1,'normal',1,0,0,1);
INSERT INTO "endings" VALUES('cid','','cid',1,'timeout',1,0,0,1);
INSERT INTO "endings" VALUES('cid','main','cid',1,'aborted',4,0,0,0);
INSERT INTO "endings" VALUES('cid','main','cid',1,'normal',1,0,0,1);
INSERT INTO "endings" VALUES('cid','main','cid',1,'timeout',1,0,0,1);
INSERT INTO "endings" VALUES('cid','main','cid@1',0,'normal',4,0,2,2);
INSERT INTO "endings" VALUES('cid','main','cid@1',0,'timeout',1,1,0,0);
CREATE TABLE entrants (
	ladder TEXT NOT NULL, 
	name TEXT NOT NULL, 
	elo FLOAT NOT NULL, 
	deviation FLOAT NOT NULL, 
	volatility FLOAT NOT NULL, 
	strikes INTEGER NOT NULL, 
	quarantined_until TEXT, 
	quarantine_reason TEXT, 
	CONSTRAINT pk_entrants PRIMARY KEY (ladder, name)
);
INSERT INTO "entrants" VALUES('main','ann@1',1612.5,81.25,0.02,2,'2026-01-01T00:00:00.000+00:00','crashed');
INSERT INTO "entrants" VALUES('main','bob',1500.0,350.0,0.02,0,NULL,NULL);
CREATE TABLE event_entrants (
	event TEXT NOT NULL, 
	name TEXT NOT NULL, 
	place INTEGER NOT NULL, 
	joins INTEGER NOT NULL, 
	leaves INTEGER, 
	absences INTEGER NOT NULL, checked_in BOOLEAN DEFAULT 0 NOT NULL, owner TEXT DEFAULT '' NOT NULL, byes TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_event_entrants PRIMARY KEY (event, name)
);
INSERT INTO "event_entrants" VALUES('final','ann',0,1,NULL,0,1,'o','2,4');
INSERT INTO "event_entrants" VALUES('final','bob',1,1,2,1,0,'','');
CREATE TABLE event_games (
	event TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	first TEXT NOT NULL, 
	second TEXT NOT NULL, 
	winner INTEGER, 
	margin INTEGER NOT NULL, 
	reason TEXT NOT NULL, 
	game TEXT, 
	voids INTEGER NOT NULL, annulled BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_event_games PRIMARY KEY (event, number)
);
INSERT INTO "event_games" VALUES('final',0,'ann','bob',1,-4,'normal','g1',0,1);
CREATE TABLE event_log (
	event TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	at TEXT NOT NULL, 
	step TEXT NOT NULL, 
	"by" TEXT NOT NULL, 
	why TEXT NOT NULL, 
	CONSTRAINT pk_event_log PRIMARY KEY (event, number)
);
INSERT INTO "event_log" VALUES('final',1,'2026-01-01T00:00:00.000+00:00','pair','root','x');
CREATE TABLE event_pairings (
	event TEXT NOT NULL, 
	round INTEGER NOT NULL, 
	place INTEGER NOT NULL, 
	first TEXT NOT NULL, 
	second TEXT, 
	inputs TEXT NOT NULL, 
	CONSTRAINT pk_event_pairings PRIMARY KEY (event, round, place)
);
INSERT INTO "event_pairings" VALUES('final',1,0,'ann','bob','abc');
INSERT INTO "event_pairings" VALUES('final',1,1,'cid',NULL,'abc');
CREATE TABLE event_settings (
	name TEXT NOT NULL, 
	settings TEXT NOT NULL, 
	origin TEXT, 
	CONSTRAINT pk_event_settings PRIMARY KEY (name)
);
INSERT INTO "event_settings" VALUES('final','{}',NULL);
CREATE TABLE events (
	name TEXT NOT NULL, 
	state TEXT NOT NULL, 
	round INTEGER NOT NULL, 
	resumes TEXT, 
	regulations TEXT, 
	CONSTRAINT pk_events PRIMARY KEY (name)
);
INSERT INTO "events" VALUES('final','paired',1,NULL,'{}');
CREATE TABLE games (
	id TEXT NOT NULL, 
	"match" TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	began_at TEXT NOT NULL, 
	ended_at TEXT, 
	winner INTEGER, 
	south_store INTEGER, 
	north_store INTEGER, 
	reason TEXT, 
	evidence TEXT, info_bytes BIGINT, seq BIGINT, ladder INTEGER, south INTEGER, north INTEGER, plies INTEGER, packed BLOB, infos BLOB, annulled_at TEXT, 
	CONSTRAINT pk_games PRIMARY KEY (id), 
	CONSTRAINT fk_games_match_matches FOREIGN KEY("match") REFERENCES matches (id), 
	CONSTRAINT uq_games_match_number UNIQUE ("match", number)
);
INSERT INTO "games" VALUES('g6513270e','m0',0,'2026-11-21T12:00:00.000+00:00',NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,1,2,NULL,NULL,NULL,NULL);
INSERT INTO "games" VALUES('g5d9dc9f8','m1',0,'2026-11-21T12:00:01.000+00:00','2026-11-21T12:01:41.000+00:00',NULL,25,23,'aborted',NULL,NULL,2,3,2,4,0,X'23000000',NULL,NULL);
INSERT INTO "games" VALUES('g1600a35a','m2',0,'2026-11-21T12:00:02.000+00:00','2026-11-21T12:01:42.000+00:00',NULL,25,23,'aborted',NULL,27,3,3,2,4,6,X'31064313540100CF4D8542BF765140FC98DB5453F35E40E814049F6ECB4840314706A3BF197240B10092C80281894015979173DF7B6740',X'789CAB564A492D28C950B232D0514ACECFCD4DCD2B51B2523ABC32264FA9960B0400BA700A05',NULL);
INSERT INTO "games" VALUES('gae2eb154','m3',0,'2026-11-21T12:00:03.000+00:00','2026-11-21T12:01:43.000+00:00',NULL,25,23,'timeout',NULL,81,4,NULL,2,1,8,X'11081304012400AC25FA87D449884049C49B2D09D388406546D69BDCF17E406A76FFB535845D408EF60065292A8D4064134E2291E4874057CA27F6CB0A7F40891542CA92A17D4000000000000004400000000000000000000000000000044000000000000004400000000000000440000000000000044000000000000004400000000000000000',X'789CAB564A492D28C950B232D0514ACECFCD4DCD2B51B2523ABC32264FA9968BAB1A266B844D16216D8A4D1A0066781DC4',NULL);
INSERT INTO "games" VALUES('g48db40af','m4',0,'2026-11-21T12:00:04.000+00:00','2026-11-21T12:01:44.000+00:00',1,25,23,'normal',NULL,108,5,3,4,1,6,X'1106053112003720FD8615B07540A9E8758116DB7E403FE62DE45CDE7840D1D615EF842B8140E84B07762C138640E4BDC13C05BF5440000000000000044000000000000000000000000000000440000000000000000000000000000004400000000000000000',X'789CAB564A492D28C950B232D0514ACECFCD4DCD2B51B2523ABC32264FA996AB1A2669884512216B8C4FAB0916490015A82783',NULL);
INSERT INTO "games" VALUES('g43435cc5','m5',0,'2026-11-21T12:00:05.000+00:00','2026-11-21T12:01:45.000+00:00',1,25,23,'normal',NULL,81,6,3,4,2,4,X'110450050035C9CB01A5356240CE7D8B979DD98A409145F726FCEE8840429494765D187E400000000000000440000000000000000000000000000004400000000000000440',X'789CAB564A492D28C950B232D0514ACECFCD4DCD2B51B2523ABC32264FA996AB1A2669884FD2088B240012301D98',NULL);
INSERT INTO "games" VALUES('g570dc195','m6',0,'2026-11-21T12:00:06.000+00:00','2026-11-21T12:01:46.000+00:00',0,25,23,'normal',NULL,NULL,7,NULL,2,4,0,X'23000000',NULL,NULL);
INSERT INTO "games" VALUES('g895fd7b3','m7',0,'2026-11-21T12:00:07.000+00:00','2026-11-21T12:01:47.000+00:00',NULL,25,23,'normal',NULL,NULL,8,3,4,2,1,X'310102003A8021EAE52D8340',NULL,NULL);
INSERT INTO "games" VALUES('g9a2ef80f','m8',0,'2026-11-21T12:00:08.000+00:00','2026-11-21T12:01:48.000+00:00',0,25,23,'timeout',NULL,108,9,3,1,4,5,X'110523430000FDD3DA1BE7B55E409EF0804B9E785540880E7CD0D7E689407E3475120A9C764095727D0493C1854000000000000004400000000000000000000000000000000000000000000000000000000000000440',X'789CAB564A492D28C950B232D0514ACECFCD4DCD2B51B2523ABC32264FA996AB1A2669884512216B8C4FAB09A62400EE162779',NULL);
INSERT INTO "games" VALUES('ga2eddbbd','m9',0,'2026-11-21T12:00:09.000+00:00','2026-11-21T12:01:49.000+00:00',NULL,25,23,'aborted',NULL,54,10,NULL,4,1,3,X'110354000035668C08175C89404FBDBAC79B1A8940E4EF4325D4EC8E40000000000000000000000000000000000000000000000440',X'789CE3AA564A492D28C950B232D4514ACECFCD4DCD2B51B2523ABC32264FA9960B2E6984290900321C13BC',NULL);
INSERT INTO "games" VALUES('g727d8349','m10',0,'2026-11-21T12:00:10.000+00:00','2026-11-21T12:01:50.000+00:00',NULL,25,23,'normal',NULL,54,11,3,4,1,5,X'110522520500D6B2E3A570225440F89C8A97F28B69401222B36326FD8840C45167A91F718740ED7F5D7346C8744000000000000000000000000000000000000000000000000000000000000004400000000000000440',X'789CE3AA564A492D28C950B232D4514ACECFCD4DCD2B51B2523ABC32264FA9968B8B0B2E6D82290D00486013D2',NULL);
INSERT INTO "games" VALUES('gfe3c9c8f','m11',0,'2026-11-21T12:00:11.000+00:00','2026-11-21T12:01:51.000+00:00',0,25,23,'normal',NULL,NULL,12,3,2,4,2,X'11024000CA3F9B89D2E462405F5B7A9272A28E4000000000000004400000000000000440',NULL,NULL);
INSERT INTO "games" VALUES('g86ce03f9','m12',0,'2026-11-21T12:00:12.000+00:00','2026-11-21T12:01:52.000+00:00',0,25,23,'timeout',NULL,27,13,NULL,2,4,2,X'310213010030BEEF3665D48E40E752CA68774F7240',X'789CE3AA564A492D28C950B232D4514ACECFCD4DCD2B51B2523ABC32264FA9160089F109DE',NULL);
INSERT INTO "games" VALUES('ge5cfedfa','m13',0,'2026-11-21T12:00:13.000+00:00','2026-11-21T12:01:53.000+00:00',NULL,25,23,'aborted',NULL,27,14,3,2,1,7,X'110745214004000A0CFF48CA3A8240E468E58FC0E87F40603C3644188B654045598EA2A65285407A395D7AD10F6F407275B398D0427C409A8DA1CBE16A8E400000000000000440000000000000044000000000000004400000000000000440000000000000044000000000000000000000000000000000',X'789CE3E202816AA594D482920C252B331DA5E4FCDCDCD4BC12252BA5C32B63F2946A0190950A15',NULL);
INSERT INTO "games" VALUES('gb2fff17b','m14',0,'2026-11-21T12:00:14.000+00:00','2026-11-21T12:01:54.000+00:00',NULL,25,23,'timeout',NULL,54,15,3,1,2,8,X'110802133104008883AF1146D68C40753CA47ED4857840AF8465A5BA475240B01E6C8A095C8D405FBC03B75B3C8E405B7C970A72596440773B96BDF43C7940D7F30DE93491864000000000000000000000000000000440000000000000044000000000000004400000000000000000000000000000000000000000000004400000000000000000',X'789CAB564A492D28C950B232D0514ACECFCD4DCD2B51B2523ABC32264FA9960B02AA614ACC31950000729613F2',NULL);
INSERT INTO "games" VALUES('g54dd0ba5','m15',0,'2026-11-21T12:00:15.000+00:00','2026-11-21T12:01:55.000+00:00',NULL,25,23,'aborted',NULL,108,16,NULL,2,1,8,X'11081430541501074886F009447772406A64C452915D8E4057FFA283304F8C40EF69C7DEB38C8A40AF9C3E68C2D48140A544854F02EB66405A070D10382456409D9B839CD7A7504000000000000000000000000000000000000000000000000000000000000004400000000000000440000000000000000000000000000004400000000000000000',X'789CE3E2AA564A492D28C950B232D2514ACECFCD4DCD2B51B2523ABC32264FA91621698C4512216B8A57D61C531600183F27A0',NULL);
INSERT INTO "games" VALUES('g9f27f52c','m16',0,'2026-11-21T12:00:16.000+00:00','2026-11-21T12:01:56.000+00:00',NULL,25,23,'aborted',NULL,27,17,3,1,4,2,X'3102200066896DF951778040E055D2929A304940',X'789CE3AA564A492D28C950B232D4514ACECFCD4DCD2B51B2523ABC32264FA9160089F109DE',NULL);
INSERT INTO "games" VALUES('g721888ff','m17',0,'2026-11-21T12:00:17.000+00:00','2026-11-21T12:01:57.000+00:00',1,25,23,'normal',NULL,81,18,3,2,1,8,X'11080533023200E416FAD9CB3C6640C0C49B4E36B12E40FE8F928E01925A409AAF82CA7F528E406A25C1C3FBD368408ED1E91DE8278A40377E76F0D9EB7A4062F139754D348B4000000000000004400000000000000000000000000000044000000000000004400000000000000000000000000000000000000000000000000000000000000440',X'789CE3AA564A492D28C950B232D4514ACECFCD4DCD2B51B2523ABC32264FA9960B2E69844512216B824D960B0066B81DC4',NULL);
INSERT INTO "games" VALUES('g44df96ff','m18',0,'2026-11-21T12:00:18.000+00:00','2026-11-21T12:01:58.000+00:00',NULL,25,23,'aborted',NULL,108,19,NULL,2,4,7,X'110720000005005E48389AE3737040EC55121AB53B6B4094DB3D4C4CAA7D407559413182B6564000FD0C83A89F78401EA3E590AA4C8240D5308E2AD5C58E400000000000000440000000000000000000000000000000000000000000000000000000000000044000000000000000000000000000000000',X'789CAB564A492D28C950B232D0514ACECFCD4DCD2B51B2523ABC32264FA9960B08AA61F22658E4E192A6F824CD302501017B2794',NULL);
INSERT INTO "games" VALUES('gd329d65c','m19',0,'2026-11-21T12:00:19.000+00:00','2026-11-21T12:01:59.000+00:00',NULL,25,23,'aborted',NULL,54,20,3,2,4,8,X'110845410032010149B43B4DEAD37A4069D4ACCCBCEF88401CB51882F5E883400C463C64E163494024653B282D8F7C40CFC948C2D24D8740115765D023596D40FF0FBB322EDF7E4000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000044000000000000000000000000000000440',X'789CE3E2AA564A492D28C950B232D2514ACECFCD4DCD2B51B2523ABC32264FA9968B0B216D8A4D1A0072E213F2',NULL);
INSERT INTO "games" VALUES('g9df2025f','m20',0,'2026-11-21T12:00:20.000+00:00','2026-11-21T12:02:00.000+00:00',NULL,25,23,'timeout',NULL,27,21,3,1,2,3,X'1103500300D16CEB65A4BD82402F4DDA98AC0673409B04A93F5DCC7040000000000000044000000000000000000000000000000000',X'789CAB564A492D28C950B232D0514ACECFCD4DCD2B51B2523ABC32264FA9968B0B009C7F09E7',NULL);
INSERT INTO "games" VALUES('g76f4251e','m21',0,'2026-11-21T12:00:21.000+00:00','2026-11-21T12:02:01.000+00:00',NULL,25,23,'aborted',NULL,108,22,NULL,4,1,7,X'11073313520100BB80E6AA5BF9874003D832042481314041A84456BC0F8F4068C76B3939A75240B78D9F35ECC58D4066C4AE3304D37640CEA5F53549B90C400000000000000000000000000000044000000000000004400000000000000000000000000000000000000000000004400000000000000440',X'789CAB564A492D28C950B232D0514ACECFCD4DCD2B51B2523ABC32264FA9960B08AA61F22658E4E192A6F824CD302501017B2794',NULL);
INSERT INTO "games" VALUES('g580dc5ab','m22',0,'2026-11-21T12:00:22.000+00:00','2026-11-21T12:02:02.000+00:00',0,25,23,'timeout',NULL,27,23,3,2,1,6,X'11062245220027D9C1DC323A5E4072424EE8E2388A40A76CCACC531D7240AAAC05F2A4195340A6F01C506E6D59400BED4D16DA437B40000000000000044000000000000000000000000000000440000000000000044000000000000004400000000000000440',X'789CE3E2E2AA564A492D28C950B232D6514ACECFCD4DCD2B51B2523ABC32264FA9968B0B00A0810A08',NULL);
INSERT INTO "games" VALUES('ge9d625c9','m23',0,'2026-11-21T12:00:23.000+00:00','2026-11-21T12:02:03.000+00:00',0,25,23,'timeout',NULL,135,24,3,4,1,8,X'11083424121200514ABE2FF26D694000D4DD4AC42D7C40331A56ACECD35F4046214CD8C4F76F40B6A4AA92E9327E40E6FAFEFEEACA5240733F5F08CD238F40A6DB4A81BD826E4000000000000000000000000000000000000000000000044000000000000004400000000000000440000000000000044000000000000004400000000000000000',X'789CE3AA564A492D28C950B232D4514ACECFCD4DCD2B51B2523ABC32264FA9960B2E69844FD2188B241742DA0C9F5E734C490021233174',NULL);
CREATE TABLE imported_games (
	id TEXT NOT NULL, 
	event TEXT NOT NULL, 
	record TEXT NOT NULL, 
	CONSTRAINT pk_imported_games PRIMARY KEY (id)
);
CREATE TABLE matches (
	id TEXT NOT NULL, 
	first TEXT NOT NULL, 
	second TEXT NOT NULL, 
	rules TEXT NOT NULL, 
	clock TEXT NOT NULL, 
	rated BOOLEAN NOT NULL, 
	games INTEGER NOT NULL, 
	first_points FLOAT, 
	second_points FLOAT, 
	began_at TEXT NOT NULL, 
	ended_at TEXT, ladder TEXT, first_entrant TEXT, second_entrant TEXT, openings TEXT, event TEXT, event_game INTEGER, 
	CONSTRAINT pk_matches PRIMARY KEY (id)
);
INSERT INTO "matches" VALUES('m0','bob','ann','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:00.000+00:00',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "matches" VALUES('m1','ann','cid','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:01.000+00:00',NULL,'main','ann@1','cid',NULL,NULL,NULL);
INSERT INTO "matches" VALUES('m2','ann','cid','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:02.000+00:00',NULL,'main','ann@1','cid',NULL,NULL,NULL);
INSERT INTO "matches" VALUES('m3','ann','bob','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:03.000+00:00',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "matches" VALUES('m4','cid','bob','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:04.000+00:00',NULL,'main','cid@1','bob',NULL,NULL,NULL);
INSERT INTO "matches" VALUES('m5','cid','ann','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:05.000+00:00',NULL,'main','cid@1','ann',NULL,NULL,NULL);
INSERT INTO "matches" VALUES('m6','ann','cid','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:06.000+00:00',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "matches" VALUES('m7','cid','ann','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:07.000+00:00',NULL,'main','cid@1','ann',NULL,NULL,NULL);
INSERT INTO "matches" VALUES('m8','bob','cid','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:08.000+00:00',NULL,'main','bob@1','cid',NULL,NULL,NULL);
INSERT INTO "matches" VALUES('m9','cid','bob','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:09.000+00:00',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "matches" VALUES('m10','cid','bob','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:10.000+00:00',NULL,'main','cid@1','bob',NULL,NULL,NULL);
INSERT INTO "matches" VALUES('m11','ann','cid','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:11.000+00:00',NULL,'main','ann@1','cid',NULL,NULL,NULL);
INSERT INTO "matches" VALUES('m12','ann','cid','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:12.000+00:00',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "matches" VALUES('m13','ann','bob','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:13.000+00:00',NULL,'main','ann@1','bob',NULL,NULL,NULL);
INSERT INTO "matches" VALUES('m14','bob','ann','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:14.000+00:00',NULL,'main','bob@1','ann',NULL,NULL,NULL);
INSERT INTO "matches" VALUES('m15','ann','bob','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:15.000+00:00',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "matches" VALUES('m16','bob','cid','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:16.000+00:00',NULL,'main','bob@1','cid',NULL,NULL,NULL);
INSERT INTO "matches" VALUES('m17','ann','bob','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:17.000+00:00',NULL,'main','ann@1','bob',NULL,NULL,NULL);
INSERT INTO "matches" VALUES('m18','ann','cid','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:18.000+00:00',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "matches" VALUES('m19','ann','cid','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:19.000+00:00',NULL,'main','ann@1','cid',NULL,NULL,NULL);
INSERT INTO "matches" VALUES('m20','bob','ann','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:20.000+00:00',NULL,'main','bob@1','ann',NULL,NULL,NULL);
INSERT INTO "matches" VALUES('m21','cid','bob','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:21.000+00:00',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "matches" VALUES('m22','ann','bob','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:22.000+00:00',NULL,'main','ann@1','bob',NULL,NULL,NULL);
INSERT INTO "matches" VALUES('m23','cid','bob','{"relap":true,"majority":true}','{"move_ms":50,"bank_ms":1000}',0,2,NULL,NULL,'2026-11-21T12:00:23.000+00:00',NULL,'main','cid@1','bob',NULL,NULL,NULL);
CREATE TABLE meetings (
	ladder TEXT NOT NULL, 
	name TEXT NOT NULL, 
	other TEXT NOT NULL, 
	CONSTRAINT pk_meetings PRIMARY KEY (ladder, name)
)
 WITHOUT ROWID

;
INSERT INTO "meetings" VALUES('main','ann','bob');
INSERT INTO "meetings" VALUES('main','bob','cid');
INSERT INTO "meetings" VALUES('main','cid','bob');
CREATE TABLE members (
	ladder TEXT NOT NULL, 
	secret_hash TEXT NOT NULL, 
	CONSTRAINT pk_members PRIMARY KEY (ladder, secret_hash)
);
INSERT INTO "members" VALUES('main','h1');
CREATE TABLE moves (
	game TEXT NOT NULL, 
	ply INTEGER NOT NULL, 
	pit INTEGER NOT NULL, 
	elapsed_ms FLOAT NOT NULL, 
	lag_ms FLOAT NOT NULL, 
	forced BOOLEAN NOT NULL, 
	info TEXT, 
	CONSTRAINT pk_moves PRIMARY KEY (game, ply), 
	CONSTRAINT fk_moves_game_games FOREIGN KEY(game) REFERENCES games (id)
);
CREATE TABLE names (
	"key" INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	CONSTRAINT pk_names PRIMARY KEY ("key"), 
	CONSTRAINT uq_names_name UNIQUE (name)
);
INSERT INTO "names" VALUES(1,'bob');
INSERT INTO "names" VALUES(2,'ann');
INSERT INTO "names" VALUES(3,'main');
INSERT INTO "names" VALUES(4,'cid');
CREATE TABLE outbox (
	seq BIGINT NOT NULL, 
	event_id TEXT NOT NULL, 
	topic TEXT NOT NULL, 
	payload TEXT NOT NULL, 
	published_at TEXT, is_retained BOOLEAN DEFAULT 0 NOT NULL, ends_at BIGINT, 
	CONSTRAINT pk_outbox PRIMARY KEY (seq), 
	CONSTRAINT uq_outbox_event_id UNIQUE (event_id)
);
INSERT INTO "outbox" VALUES(1,'g5d9dc9f8','topic/g5d9dc9f8','{"schema":"mancala.match_result.v1","event_id":"g5d9dc9f8","seq":1,"server":"test","match":"m","rated":false,"rules":{"pits":6,"seeds":4,"capture":"opposite","relap":true,"majority":true},"clock":{"move_ms":50,"bank_ms":1000,"increment_ms":0,"timeout":"forfeit"},"players":[],"score":{},"games":[],"started_at":"2026-11-21T12:00:00.000+00:00","ended_at":"2026-11-21T12:00:00.000+00:00"}',NULL,0,386);
INSERT INTO "outbox" VALUES(2,'g1600a35a','topic/g1600a35a','{"schema":"mancala.match_result.v1","event_id":"g1600a35a","seq":2,"server":"test","match":"m","rated":false,"rules":{"pits":6,"seeds":4,"capture":"opposite","relap":true,"majority":true},"clock":{"move_ms":50,"bank_ms":1000,"increment_ms":0,"timeout":"forfeit"},"players":[],"score":{},"games":[],"started_at":"2026-11-21T12:00:00.000+00:00","ended_at":"2026-11-21T12:00:00.000+00:00"}',NULL,0,772);
INSERT INTO "outbox" VALUES(3,'gae2eb154','topic/gae2eb154','{"schema":"mancala.match_result.v1","event_id":"gae2eb154","seq":3,"server":"test","match":"m","rated":false,"rules":{"pits":6,"seeds":4,"capture":"opposite","relap":true,"majority":true},"clock":{"move_ms":50,"bank_ms":1000,"increment_ms":0,"timeout":"forfeit"},"players":[],"score":{},"games":[],"started_at":"2026-11-21T12:00:00.000+00:00","ended_at":"2026-11-21T12:00:00.000+00:00"}',NULL,0,1158);
INSERT INTO "outbox" VALUES(4,'g48db40af','topic/g48db40af','{"schema":"mancala.match_result.v1","event_id":"g48db40af","seq":4,"server":"test","match":"m","rated":false,"rules":{"pits":6,"seeds":4,"capture":"opposite","relap":true,"majority":true},"clock":{"move_ms":50,"bank_ms":1000,"increment_ms":0,"timeout":"forfeit"},"players":[],"score":{},"games":[],"started_at":"2026-11-21T12:00:00.000+00:00","ended_at":"2026-11-21T12:00:00.000+00:00"}',NULL,0,1544);
INSERT INTO "outbox" VALUES(5,'g43435cc5','topic/g43435cc5','{"schema":"mancala.match_result.v1","event_id":"g43435cc5","seq":5,"server":"test","match":"m","rated":false,"rules":{"pits":6,"seeds":4,"capture":"opposite","relap":true,"majority":true},"clock":{"move_ms":50,"bank_ms":1000,"increment_ms":0,"timeout":"forfeit"},"players":[],"score":{},"games":[],"started_at":"2026-11-21T12:00:00.000+00:00","ended_at":"2026-11-21T12:00:00.000+00:00"}',NULL,0,1930);
INSERT INTO "outbox" VALUES(6,'g570dc195','topic/g570dc195','{"schema":"mancala.match_result.v1","event_id":"g570dc195","seq":6,"server":"test","match":"m","rated":false,"rules":{"pits":6,"seeds":4,"capture":"opposite","relap":true,"majority":true},"clock":{"move_ms":50,"bank_ms":1000,"increment_ms":0,"timeout":"forfeit"},"players":[],"score":{},"games":[],"started_at":"2026-11-21T12:00:00.000+00:00","ended_at":"2026-11-21T12:00:00.000+00:00"}',NULL,0,2316);
INSERT INTO "outbox" VALUES(7,'g895fd7b3','topic/g895fd7b3','{"schema":"mancala.match_result.v1","event_id":"g895fd7b3","seq":7,"server":"test","match":"m","rated":false,"rules":{"pits":6,"seeds":4,"capture":"opposite","relap":true,"majority":true},"clock":{"move_ms":50,"bank_ms":1000,"increment_ms":0,"timeout":"forfeit"},"players":[],"score":{},"games":[],"started_at":"2026-11-21T12:00:00.000+00:00","ended_at":"2026-11-21T12:00:00.000+00:00"}',NULL,0,2702);
INSERT INTO "outbox" VALUES(8,'g9a2ef80f','topic/g9a2ef80f','{"schema":"mancala.match_result.v1","event_id":"g9a2ef80f","seq":8,"server":"test","match":"m","rated":false,"rules":{"pits":6,"seeds":4,"capture":"opposite","relap":true,"majority":true},"clock":{"move_ms":50,"bank_ms":1000,"increment_ms":0,"timeout":"forfeit"},"players":[],"score":{},"games":[],"started_at":"2026-11-21T12:00:00.000+00:00","ended_at":"2026-11-21T12:00:00.000+00:00"}',NULL,0,3088);
INSERT INTO "outbox" VALUES(9,'ga2eddbbd','topic/ga2eddbbd','{"schema":"mancala.match_result.v1","event_id":"ga2eddbbd","seq":9,"server":"test","match":"m","rated":false,"rules":{"pits":6,"seeds":4,"capture":"opposite","relap":true,"majority":true},"clock":{"move_ms":50,"bank_ms":1000,"increment_ms":0,"timeout":"forfeit"},"players":[],"score":{},"games":[],"started_at":"2026-11-21T12:00:00.000+00:00","ended_at":"2026-11-21T12:00:00.000+00:00"}',NULL,0,3474);
INSERT INTO "outbox" VALUES(10,'g727d8349','topic/g727d8349','{"schema":"mancala.match_result.v1","event_id":"g727d8349","seq":10,"server":"test","match":"m","rated":false,"rules":{"pits":6,"seeds":4,"capture":"opposite","relap":true,"majority":true},"clock":{"move_ms":50,"bank_ms":1000,"increment_ms":0,"timeout":"forfeit"},"players":[],"score":{},"games":[],"started_at":"2026-11-21T12:00:00.000+00:00","ended_at":"2026-11-21T12:00:00.000+00:00"}',NULL,0,3861);
INSERT INTO "outbox" VALUES(11,'gfe3c9c8f','topic/gfe3c9c8f','{"schema":"mancala.match_result.v1","event_id":"gfe3c9c8f","seq":11,"server":"test","match":"m","rated":false,"rules":{"pits":6,"seeds":4,"capture":"opposite","relap":true,"majority":true},"clock":{"move_ms":50,"bank_ms":1000,"increment_ms":0,"timeout":"forfeit"},"players":[],"score":{},"games":[],"started_at":"2026-11-21T12:00:00.000+00:00","ended_at":"2026-11-21T12:00:00.000+00:00"}',NULL,0,4248);
INSERT INTO "outbox" VALUES(12,'g86ce03f9','topic/g86ce03f9','{"schema":"mancala.match_result.v1","event_id":"g86ce03f9","seq":12,"server":"test","match":"m","rated":false,"rules":{"pits":6,"seeds":4,"capture":"opposite","relap":true,"majority":true},"clock":{"move_ms":50,"bank_ms":1000,"increment_ms":0,"timeout":"forfeit"},"players":[],"score":{},"games":[],"started_at":"2026-11-21T12:00:00.000+00:00","ended_at":"2026-11-21T12:00:00.000+00:00"}',NULL,0,4635);
INSERT INTO "outbox" VALUES(13,'ge5cfedfa','topic/ge5cfedfa','{"schema":"mancala.match_result.v1","event_id":"ge5cfedfa","seq":13,"server":"test","match":"m","rated":false,"rules":{"pits":6,"seeds":4,"capture":"opposite","relap":true,"majority":true},"clock":{"move_ms":50,"bank_ms":1000,"increment_ms":0,"timeout":"forfeit"},"players":[],"score":{},"games":[],"started_at":"2026-11-21T12:00:00.000+00:00","ended_at":"2026-11-21T12:00:00.000+00:00"}',NULL,0,5022);
INSERT INTO "outbox" VALUES(14,'gb2fff17b','topic/gb2fff17b','{"schema":"mancala.match_result.v1","event_id":"gb2fff17b","seq":14,"server":"test","match":"m","rated":false,"rules":{"pits":6,"seeds":4,"capture":"opposite","relap":true,"majority":true},"clock":{"move_ms":50,"bank_ms":1000,"increment_ms":0,"timeout":"forfeit"},"players":[],"score":{},"games":[],"started_at":"2026-11-21T12:00:00.000+00:00","ended_at":"2026-11-21T12:00:00.000+00:00"}',NULL,0,5409);
INSERT INTO "outbox" VALUES(15,'g54dd0ba5','topic/g54dd0ba5','{"schema":"mancala.match_result.v1","event_id":"g54dd0ba5","seq":15,"server":"test","match":"m","rated":false,"rules":{"pits":6,"seeds":4,"capture":"opposite","relap":true,"majority":true},"clock":{"move_ms":50,"bank_ms":1000,"increment_ms":0,"timeout":"forfeit"},"players":[],"score":{},"games":[],"started_at":"2026-11-21T12:00:00.000+00:00","ended_at":"2026-11-21T12:00:00.000+00:00"}',NULL,0,5796);
INSERT INTO "outbox" VALUES(16,'g9f27f52c','topic/g9f27f52c','{"schema":"mancala.match_result.v1","event_id":"g9f27f52c","seq":16,"server":"test","match":"m","rated":false,"rules":{"pits":6,"seeds":4,"capture":"opposite","relap":true,"majority":true},"clock":{"move_ms":50,"bank_ms":1000,"increment_ms":0,"timeout":"forfeit"},"players":[],"score":{},"games":[],"started_at":"2026-11-21T12:00:00.000+00:00","ended_at":"2026-11-21T12:00:00.000+00:00"}',NULL,0,6183);
INSERT INTO "outbox" VALUES(17,'g721888ff','topic/g721888ff','{"schema":"mancala.match_result.v1","event_id":"g721888ff","seq":17,"server":"test","match":"m","rated":false,"rules":{"pits":6,"seeds":4,"capture":"opposite","relap":true,"majority":true},"clock":{"move_ms":50,"bank_ms":1000,"increment_ms":0,"timeout":"forfeit"},"players":[],"score":{},"games":[],"started_at":"2026-11-21T12:00:00.000+00:00","ended_at":"2026-11-21T12:00:00.000+00:00"}',NULL,0,6570);
INSERT INTO "outbox" VALUES(18,'g44df96ff','topic/g44df96ff','{"schema":"mancala.match_result.v1","event_id":"g44df96ff","seq":18,"server":"test","match":"m","rated":false,"rules":{"pits":6,"seeds":4,"capture":"opposite","relap":true,"majority":true},"clock":{"move_ms":50,"bank_ms":1000,"increment_ms":0,"timeout":"forfeit"},"players":[],"score":{},"games":[],"started_at":"2026-11-21T12:00:00.000+00:00","ended_at":"2026-11-21T12:00:00.000+00:00"}',NULL,0,6957);
INSERT INTO "outbox" VALUES(19,'gd329d65c','topic/gd329d65c','{"schema":"mancala.match_result.v1","event_id":"gd329d65c","seq":19,"server":"test","match":"m","rated":false,"rules":{"pits":6,"seeds":4,"capture":"opposite","relap":true,"majority":true},"clock":{"move_ms":50,"bank_ms":1000,"increment_ms":0,"timeout":"forfeit"},"players":[],"score":{},"games":[],"started_at":"2026-11-21T12:00:00.000+00:00","ended_at":"2026-11-21T12:00:00.000+00:00"}',NULL,0,7344);
INSERT INTO "outbox" VALUES(20,'g9df2025f','topic/g9df2025f','{"schema":"mancala.match_result.v1","event_id":"g9df2025f","seq":20,"server":"test","match":"m","rated":false,"rules":{"pits":6,"seeds":4,"capture":"opposite","relap":true,"majority":true},"clock":{"move_ms":50,"bank_ms":1000,"increment_ms":0,"timeout":"forfeit"},"players":[],"score":{},"games":[],"started_at":"2026-11-21T12:00:00.000+00:00","ended_at":"2026-11-21T12:00:00.000+00:00"}',NULL,0,7731);
INSERT INTO "outbox" VALUES(21,'g76f4251e','topic/g76f4251e','{"schema":"mancala.match_result.v1","event_id":"g76f4251e","seq":21,"server":"test","match":"m","rated":false,"rules":{"pits":6,"seeds":4,"capture":"opposite","relap":true,"majority":true},"clock":{"move_ms":50,"bank_ms":1000,"increment_ms":0,"timeout":"forfeit"},"players":[],"score":{},"games":[],"started_at":"2026-11-21T12:00:00.000+00:00","ended_at":"2026-11-21T12:00:00.000+00:00"}',NULL,0,8118);
INSERT INTO "outbox" VALUES(22,'g580dc5ab','topic/g580dc5ab','{"schema":"mancala.match_result.v1","event_id":"g580dc5ab","seq":22,"server":"test","match":"m","rated":false,"rules":{"pits":6,"seeds":4,"capture":"opposite","relap":true,"majority":true},"clock":{"move_ms":50,"bank_ms":1000,"increment_ms":0,"timeout":"forfeit"},"players":[],"score":{},"games":[],"started_at":"2026-11-21T12:00:00.000+00:00","ended_at":"2026-11-21T12:00:00.000+00:00"}',NULL,0,8505);
INSERT INTO "outbox" VALUES(23,'ge9d625c9','topic/ge9d625c9','{"schema":"mancala.match_result.v1","event_id":"ge9d625c9","seq":23,"server":"test","match":"m","rated":false,"rules":{"pits":6,"seeds":4,"capture":"opposite","relap":true,"majority":true},"clock":{"move_ms":50,"bank_ms":1000,"increment_ms":0,"timeout":"forfeit"},"players":[],"score":{},"games":[],"started_at":"2026-11-21T12:00:00.000+00:00","ended_at":"2026-11-21T12:00:00.000+00:00"}',NULL,0,8892);
CREATE TABLE pairs (
	ladder TEXT NOT NULL, 
	first TEXT NOT NULL, 
	second TEXT NOT NULL, 
	points_0 INTEGER NOT NULL, 
	points_1 INTEGER NOT NULL, 
	points_2 INTEGER NOT NULL, 
	points_3 INTEGER NOT NULL, 
	points_4 INTEGER NOT NULL, wins INTEGER DEFAULT '0' NOT NULL, draws INTEGER DEFAULT '0' NOT NULL, losses INTEGER DEFAULT '0' NOT NULL, back_wins INTEGER DEFAULT '0' NOT NULL, back_draws INTEGER DEFAULT '0' NOT NULL, back_losses INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_pairs PRIMARY KEY (ladder, first, second)
);
INSERT INTO "pairs" VALUES('main','ann@1','bob',5,6,7,8,9,0,0,0,2,3,4);
CREATE TABLE players (
	name TEXT NOT NULL, 
	games INTEGER NOT NULL, 
	wins INTEGER NOT NULL, 
	draws INTEGER NOT NULL, 
	losses INTEGER NOT NULL, 
	last_game_at TEXT NOT NULL, 
	CONSTRAINT pk_players PRIMARY KEY (name)
)
 WITHOUT ROWID

;
INSERT INTO "players" VALUES('ann',10,5,4,1,'2026-11-21T12:02:02.000+00:00');
INSERT INTO "players" VALUES('bob',9,3,4,2,'2026-11-21T12:02:03.000+00:00');
INSERT INTO "players" VALUES('cid',9,1,2,6,'2026-11-21T12:02:03.000+00:00');
CREATE TABLE points (
	bot INTEGER NOT NULL, 
	ladder INTEGER NOT NULL, 
	entrant TEXT NOT NULL, 
	day INTEGER NOT NULL, 
	elo INTEGER NOT NULL, 
	error INTEGER NOT NULL, 
	games INTEGER NOT NULL, 
	CONSTRAINT pk_points PRIMARY KEY (bot, ladder, entrant, day)
)
 WITHOUT ROWID

;
INSERT INTO "points" VALUES(2,3,'ann@1',20454,15000,400,2);
CREATE TABLE "reviews" (
	game TEXT NOT NULL, 
	ladder TEXT, 
	first TEXT NOT NULL, 
	second TEXT NOT NULL, 
	urgency INTEGER NOT NULL, 
	ended_ms BIGINT NOT NULL, 
	version INTEGER, 
	proven FLOAT, 
	reviewed_at TEXT, 
	reviewer TEXT, 
	sums TEXT, 
	body BLOB, 
	CONSTRAINT pk_reviews PRIMARY KEY (game), 
	CONSTRAINT fk_reviews_game_games FOREIGN KEY(game) REFERENCES games (id)
);
CREATE TABLE sessions (
	secret_hash TEXT NOT NULL, 
	name TEXT NOT NULL, 
	agent TEXT, is_guest BOOLEAN DEFAULT 1 NOT NULL, 
	CONSTRAINT pk_sessions PRIMARY KEY (secret_hash)
);
INSERT INTO "sessions" VALUES('h1','eve','{"name":"deep","version":"1.2"}',1);
CREATE TABLE splits (
	bot INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	value TEXT NOT NULL, 
	games INTEGER NOT NULL, 
	wins INTEGER NOT NULL, 
	draws INTEGER NOT NULL, 
	losses INTEGER NOT NULL, 
	CONSTRAINT pk_splits PRIMARY KEY (bot, kind, value)
)
 WITHOUT ROWID

;
INSERT INTO "splits" VALUES(1,'length','0',9,3,4,2);
INSERT INTO "splits" VALUES(1,'opening','',9,3,4,2);
INSERT INTO "splits" VALUES(2,'length','0',10,5,4,1);
INSERT INTO "splits" VALUES(2,'opening','',10,5,4,1);
INSERT INTO "splits" VALUES(4,'length','0',9,1,2,6);
INSERT INTO "splits" VALUES(4,'opening','',9,1,2,6);
CREATE TABLE submissions (
	"key" TEXT NOT NULL, 
	author TEXT NOT NULL, 
	submitted_at TEXT NOT NULL, 
	updated_at TEXT NOT NULL, 
	is_test BOOLEAN NOT NULL, 
	head TEXT NOT NULL, 
	document TEXT NOT NULL, 
	CONSTRAINT pk_submissions PRIMARY KEY ("key")
);
INSERT INTO "submissions" VALUES('a','lab','2026-01-01T00:00:00.000+00:00','2026-01-01T00:00:00.000+00:00',0,'{"schema":"mancala.submission.v1","title":"a cup","format":"match","state":"finished","entrants":[{"name":"new","program":"engine"},{"name":"old"}],"standings":[]}','{"schema":"mancala.submission.v1","title":"a cup","format":"match","state":"finished","entrants":[{"name":"new","program":"engine"},{"name":"old"}],"standings":[{"rank":1,"name":"new","games":2,"points":1.5,"wins":1,"draws":1,"losses":0},{"rank":2,"name":"old","games":2,"points":0.5,"wins":0,"draws":1,"losses":1}],"rounds":[{"number":1,"encounters":[{"first":"new","second":"old","games":[{"first":"new","second":"old","winner":0,"margin":6}]}]}]}');
CREATE TABLE switches (
	kind TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	text TEXT NOT NULL, 
	at TEXT NOT NULL, 
	until TEXT, 
	CONSTRAINT pk_switches PRIMARY KEY (kind, subject)
);
INSERT INTO "switches" VALUES('paused','main','a fault','2026-01-01T00:00:00.000+00:00',NULL);
CREATE INDEX ix_outbox_published_at_seq ON outbox (published_at, seq);
CREATE INDEX ix_outbox_is_retained_topic ON outbox (is_retained, topic);
CREATE INDEX ix_games_with_info ON games (ended_at) WHERE info_bytes IS NOT NULL;
CREATE INDEX ix_day_counts_counted_at ON day_counts (counted_at);
CREATE UNIQUE INDEX ix_games_seq ON games (seq) WHERE seq IS NOT NULL;
CREATE INDEX ix_games_ladder ON games (ladder, seq) WHERE seq IS NOT NULL;
CREATE INDEX ix_games_south_ladder ON games (south, ladder, seq) WHERE seq IS NOT NULL;
CREATE INDEX ix_games_north_ladder ON games (north, ladder, seq) WHERE seq IS NOT NULL;
CREATE INDEX ix_games_pair ON games (south, north, seq) WHERE seq IS NOT NULL;
CREATE INDEX ix_matches_running ON matches (id) WHERE ended_at IS NULL;
CREATE INDEX ix_games_running ON games (seq) WHERE ended_at IS NULL;
CREATE INDEX ix_games_unlisted ON games (began_at, id) WHERE seq IS NULL;
CREATE INDEX ix_event_games_game ON event_games (game);
CREATE INDEX ix_submissions_latest ON submissions (is_test, updated_at);
CREATE INDEX ix_submissions_author ON submissions (author, updated_at);
CREATE INDEX ix_reviews_waiting ON reviews (urgency, ended_ms) WHERE version IS NULL;
CREATE INDEX ix_reviews_version_ended_ms ON reviews (version, ended_ms);
COMMIT;
